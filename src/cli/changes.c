/* SPDX-License-Identifier: BSD-3-Clause */
/* See changes.h. */
#include "cli/changes.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/client.h"
#include "config/config.h"
#include "config/document.h"

static void print_value(const json_t *value)
{
	char *text;

	if (json_is_null(value)) {
		printf("(none)");
	} else if (json_is_string(value)) {
		printf("%s", json_string_value(value));
	} else {
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		printf("%s", text ? text : "?");
		free(text);
	}
}

void changes_print(const json_t *changes)
{
	size_t i;
	json_t *change;

	json_array_foreach (changes, i, change) {
		const char *port = json_string_value(json_object_get(change, "port"));

		printf("%s%s%s ", port ? port : "", port ? ": " : "",
		       json_string_value(json_object_get(change, "key")));
		print_value(json_object_get(change, "old"));
		printf(" -> ");
		print_value(json_object_get(change, "new"));
		printf(" (%s)\n", json_string_value(json_object_get(change, "apply")));
	}
}

void changes_print_result(const json_t *result, bool json)
{
	const json_t *changes = json_object_get(result, "changes");

	if (json) {
		client_print(result);
		return;
	}
	changes_print(changes);
	printf("%sgeneration %" JSON_INTEGER_FORMAT "\n",
	       json_array_size(changes) ? "" : "no difference; ",
	       json_integer_value(json_object_get(result, "generation")));
}

json_t *changes_request(const char *op, const char *path)
{
	struct config_document doc;
	struct config_error err;
	json_t *request;

	if (config_document_load(path, &doc, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return NULL;
	}
	request = json_pack("{s:s, s:s, s:s#}", "op", op, "name", path, "text", doc.text, doc.len);
	config_document_close(&doc);
	if (!request)
		fprintf(stderr, "%s: no text in UTF-8\n", path);
	return request;
}
