/* SPDX-License-Identifier: BSD-3-Clause */
/* See telemetry_data.h. */
#include "ctl/telemetry_data.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_string_fns.h>
#include <rte_version.h>

#if RTE_VERSION < RTE_VERSION_NUM(23, 3, 0, 0)
#define RTE_TEL_UINT_VAL            RTE_TEL_U64_VAL
#define rte_tel_data_add_array_uint rte_tel_data_add_array_u64
#define rte_tel_data_add_dict_uint  rte_tel_data_add_dict_u64
#endif

static int add_value(struct rte_tel_data *dict, const char *name, const json_t *value);

static int add_members(struct rte_tel_data *dict, const json_t *object)
{
	const char *key;
	json_t *value;
	int ret = 0;

	json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
		ret = add_value(dict, key, value);
		if (ret)
			break;
	}
	return ret;
}

static int add_elements(struct rte_tel_data *dict, const json_t *array)
{
	char name[24];
	json_t *value;
	size_t i;
	int ret = 0;

	json_array_foreach (array, i, value) {
		snprintf(name, sizeof(name), "%zu", i);
		ret = add_value(dict, name, value);
		if (ret)
			break;
	}
	return ret;
}

static bool all_counts(const json_t *array)
{
	json_t *value;
	size_t i;

	json_array_foreach (array, i, value)
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return false;
	return true;
}

static int add_counts(struct rte_tel_data *list, const json_t *array)
{
	json_t *value;
	size_t i;
	int ret = rte_tel_data_start_array(list, RTE_TEL_UINT_VAL);

	json_array_foreach (array, i, value)
		if (!ret)
			ret = rte_tel_data_add_array_uint(list,
							  (uint64_t)json_integer_value(value));
	return ret;
}

static int fill_nested(struct rte_tel_data *inner, const json_t *value)
{
	if (json_is_array(value) && all_counts(value))
		return add_counts(inner, value);
	rte_tel_data_start_dict(inner);
	return json_is_object(value) ? add_members(inner, value) : add_elements(inner, value);
}

static int add_nested(struct rte_tel_data *dict, const char *name, const json_t *value)
{
	struct rte_tel_data *inner = rte_tel_data_alloc();
	int ret;

	if (!inner)
		return -ENOMEM;
	ret = fill_nested(inner, value);
	if (!ret)
		ret = rte_tel_data_add_dict_container(dict, name, inner, 0);
	if (ret)
		rte_tel_data_free(inner);
	return ret;
}

static int add_integer(struct rte_tel_data *dict, const char *name, json_int_t n)
{
	if (n >= INT_MIN && n <= INT_MAX)
		return rte_tel_data_add_dict_int(dict, name, (int)n);
	return rte_tel_data_add_dict_uint(dict, name, (uint64_t)n);
}

static int add_string(struct rte_tel_data *dict, const char *name, const char *text)
{
	char cut[RTE_TEL_MAX_STRING_LEN];

	strlcpy(cut, text, sizeof(cut));
	return rte_tel_data_add_dict_string(dict, name, cut);
}

static int add_real(struct rte_tel_data *dict, const char *name, double n)
{
	char text[32];

	snprintf(text, sizeof(text), "%.10g", n);
	return rte_tel_data_add_dict_string(dict, name, text);
}

static int add_value(struct rte_tel_data *dict, const char *key, const json_t *value)
{
	char name[RTE_TEL_MAX_STRING_LEN / 2];

	strlcpy(name, key, sizeof(name));
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	switch (json_typeof(value)) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		return add_nested(dict, name, value);
	case JSON_STRING:
		return add_string(dict, name, json_string_value(value));
	case JSON_INTEGER:
		return add_integer(dict, name, json_integer_value(value));
	case JSON_REAL:
		return add_real(dict, name, json_real_value(value));
	case JSON_TRUE:
	case JSON_FALSE:
		return rte_tel_data_add_dict_int(dict, name, json_is_true(value));
	default:
		return 0;
	}
}

/** Telemetry has no way to give back what was added before something did not fit. */
static bool fits(const json_t *json)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach ((json_t *)(uintptr_t)json, key, value)
		if (!fits(value))
			return false;
	json_array_foreach (json, i, value)
		if (!fits(value))
			return false;
	return json_object_size(json) <= RTE_TEL_MAX_DICT_ENTRIES &&
	       json_array_size(json) <= RTE_TEL_MAX_DICT_ENTRIES;
}

int telemetry_data_set(struct rte_tel_data *out, const json_t *json)
{
	if (json_dumpb(json, NULL, 0, JSON_COMPACT) > TELEMETRY_DATA_MAX || !fits(json))
		return -E2BIG;
	rte_tel_data_start_dict(out);
	return add_members(out, json);
}
