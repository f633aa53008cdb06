// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "util/strbuf.h"

static json_t *switches_json(const struct key_value *kv, unsigned count)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < count; i++)
		json_object_set_new(o, kv[i].key, json_string(kv[i].value));
	return o;
}

json_t *variant_json(const struct variant *v, const char *name)
{
	return json_pack("{s:s, s:s, s:o, s:o}", "name", name ? name : v->name, "kernel", v->kernel,
			 "features", switches_json(v->features, v->features_count), "sysctl",
			 switches_json(v->sysctl, v->sysctl_count));
}

const char *database_path(const char *option)
{
	const char *env = getenv("SCHEDBENCH_DB");

	if (option)
		return option;
	return env && *env ? env : DEFAULT_DB;
}

char *database_words(const char *option)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._+-,:@=";
	struct strbuf words = STRBUF_INIT;

	if (option && option[strspn(option, plain)]) {
		strbuf_addstr(&words, " --db='");
		for (; *option; option++) {
			if (*option == '\'')
				strbuf_addstr(&words, "'\\'");
			strbuf_addch(&words, *option);
		}
		strbuf_addch(&words, '\'');
	} else if (option) {
		strbuf_addf(&words, " --db=%s", option);
	}
	return strbuf_detach(&words);
}

bool database_exists(const char *option)
{
	return access(database_path(option), F_OK) == 0;
}

int open_database(struct store **out, const char *option, enum store_mode mode, struct error *err)
{
	return store_open(out, database_path(option), mode, err);
}
