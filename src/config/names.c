/* SPDX-License-Identifier: BSD-3-Clause */
/* The grammars as POSIX regular expressions: the shortest form that can be reviewed at a glance. */
#include "config/names.h"

#include <regex.h>
#include <string.h>

#include "config/config.h"

#define VDEV      "net_[a-z0-9_]{1,59}" /* RTE_DEV_NAME_MAX_LEN is 64 with the final 0 */
#define PCI       "[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[01][0-9a-fA-F][.][0-7]"
#define PLAIN     "[A-Za-z0-9_./:@%+=~-]"
#define LIST      "\\[[A-Za-z0-9_./:()|,-]*\\]" /* e.g. representor=[0,2-3] */
#define ARGUMENTS "(,[A-Za-z0-9_-]+=(" PLAIN "|" LIST ")+)*"

const char config_name_pattern[] = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,30}$";
const char config_device_pattern[] = "^(" VDEV "|" PCI ")" ARGUMENTS "$";

static bool matches(const char *s, const char *expression)
{
	regex_t re;
	bool yes;

	if (regcomp(&re, expression, REG_EXTENDED | REG_NOSUB))
		return false;
	yes = !regexec(&re, s, 0, NULL, 0);
	regfree(&re);
	return yes;
}

bool config_name_valid(const char *s)
{
	return matches(s, config_name_pattern);
}

bool config_device_valid(const char *s)
{
	return strlen(s) < CONFIG_DEVICE_MAX && matches(s, config_device_pattern);
}

bool config_device_is_pci(const char *s)
{
	return strncmp(s, "net_", strlen("net_"));
}

size_t config_device_name_length(const char *s)
{
	return strcspn(s, ",");
}

const char *config_device_interface(const char *s, size_t *len)
{
	static const char key[] = ",iface=";
	const char *at = strstr(s, key);

	if (!at)
		return NULL;
	at += strlen(key);
	*len = strcspn(at, ",");
	return at;
}
