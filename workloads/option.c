// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "number.h"
#include "option.h"

/* A place in one of the tables. */
struct cursor {
	const struct option_spec *spec;
	void *base;
};

struct parser {
	const struct option_spec *const *tables;
	void *const *bases;
	char *const *argv;
	int argc, next;
	/* What has set a field so far: two flags that contradict each other are an error. */
	struct {
		void *field;
		const struct option_spec *by;
	} set[64];
	size_t nset;
	size_t positionals;
};

static void *field_of(const struct cursor *c)
{
	return (char *)c->base + c->spec->offset;
}

static bool takes_argument(const struct option_spec *spec)
{
	return spec->type != OPTION_FLAG && spec->type != OPTION_SET;
}

static int parse_choice(const struct option_spec *spec, const char *name, const char *text,
			int *value, struct error *err)
{
	char all[256] = "";
	size_t len = 0;

	for (int i = 0; spec->choices[i]; i++) {
		if (!strcmp(spec->choices[i], text)) {
			*value = i;
			return 0;
		}
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "",
						spec->choices[i]);
	}
	return error_set(err, ERROR_USAGE, "%s: '%s' is none of %s", name, text, all);
}

static int parse_bool(const char *name, const char *text, bool *value, struct error *err)
{
	*value = !strcmp(text, "true");
	if (!*value && strcmp(text, "false"))
		return error_set(err, ERROR_USAGE, "%s: '%s' is neither true nor false", name,
				 text);
	return 0;
}

/* Store @text (NULL: the bare flag) in the field of @c; @name is how the user called it. */
static int store(const struct cursor *c, const char *name, const char *text, struct error *err)
{
	const struct option_spec *s = c->spec;
	void *field = field_of(c);
	bool on = true;

	switch (s->type) {
	case OPTION_FLAG:
		if (text && parse_bool(name, text, &on, err))
			return -1;
		*(bool *)field = on;
		return 0;
	case OPTION_SET:
		if (text && parse_bool(name, text, &on, err))
			return -1;
		if (on)
			*(int *)field = s->value;
		return 0;
	case OPTION_INT:
		return number_int(name, text, s->min, s->max, field, err);
	case OPTION_REAL:
		return number_real(name, text, (double)s->min, (double)s->max, field, err);
	case OPTION_SIZE:
		return number_size(name, text, s->min, s->max, field, err);
	case OPTION_TIME:
		return number_time(name, text, s->unit, s->min, s->max, field, err);
	case OPTION_STRING:
		*(const char **)field = text;
		return 0;
	case OPTION_CHOICE:
		return parse_choice(s, name, text, field, err);
	}
	return error_set(err, ERROR_FAILED, "%s: option of an unknown type", name);
}

static int store_presets(const struct parser *p, struct error *err)
{
	for (size_t t = 0; p->tables[t]; t++) {
		for (const struct option_spec *s = p->tables[t]; s->name; s++) {
			struct cursor c = {s, p->bases[t]};

			if (s->preset && store(&c, s->name, s->preset, err))
				return -1;
		}
	}
	return 0;
}

static bool find_option(const struct parser *p, char letter, const char *name, size_t len,
			struct cursor *c)
{
	for (size_t t = 0; p->tables[t]; t++) {
		for (const struct option_spec *s = p->tables[t]; s->name; s++) {
			if (letter ? s->letter != letter
				   : strlen(s->name) != len || strncmp(s->name, name, len))
				continue;
			*c = (struct cursor){s, p->bases[t]};
			return true;
		}
	}
	return false;
}

static bool find_positional(struct parser *p, struct cursor *c)
{
	size_t seen = 0;

	for (size_t t = 0; p->tables[t]; t++) {
		for (const struct option_spec *s = p->tables[t]; s->name; s++) {
			if (!s->positional || seen++ != p->positionals)
				continue;
			p->positionals++;
			*c = (struct cursor){s, p->bases[t]};
			return true;
		}
	}
	return false;
}

static int apply(struct parser *p, const struct cursor *c, const char *name, const char *text,
		 struct error *err)
{
	void *field = field_of(c);
	bool off = text && !takes_argument(c->spec) && !strcmp(text, "false");

	for (size_t i = 0; i < p->nset && !off; i++) {
		if (p->set[i].field != field)
			continue;
		if (p->set[i].by != c->spec)
			return error_set(err, ERROR_USAGE, "%s contradicts --%s", name,
					 p->set[i].by->name);
		if (takes_argument(c->spec))
			return error_set(err, ERROR_USAGE, "%s is given twice", name);
	}
	if (!off && p->nset < sizeof(p->set) / sizeof(p->set[0])) {
		p->set[p->nset].field = field;
		p->set[p->nset++].by = c->spec;
	}
	return store(c, name, text, err);
}

/* The argument of an option that has none attached. */
static int next_argument(struct parser *p, const char *name, const char **text, struct error *err)
{
	if (p->next >= p->argc)
		return error_set(err, ERROR_USAGE, "%s needs a value", name);
	*text = p->argv[p->next++];
	return 0;
}

static int parse_long(struct parser *p, const char *arg, struct error *err)
{
	const char *equals = strchr(arg, '='), *text = equals ? equals + 1 : NULL;
	size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
	char name[64];
	struct cursor c;

	snprintf(name, sizeof(name), "%.*s", (int)len, arg);
	if (!find_option(p, 0, arg + 2, len - 2, &c))
		return error_set(err, ERROR_USAGE, "unknown option '%s'", name);
	if (takes_argument(c.spec) && !text && next_argument(p, name, &text, err))
		return -1;
	return apply(p, &c, name, text, err);
}

static int parse_letters(struct parser *p, const char *arg, struct error *err)
{
	for (const char *l = arg + 1; *l; l++) {
		const char *text = NULL;
		char name[3] = {'-', *l, 0};
		struct cursor c;

		if (!find_option(p, *l, NULL, 0, &c))
			return error_set(err, ERROR_USAGE, "unknown option '%s'", name);
		if (!takes_argument(c.spec)) {
			if (apply(p, &c, name, NULL, err))
				return -1;
			continue;
		}
		if (l[1])
			text = l + 1;
		else if (next_argument(p, name, &text, err))
			return -1;
		return apply(p, &c, name, text, err);
	}
	return 0;
}

int option_parse(const struct option_spec *const *tables, void *const *bases, int argc,
		 char *const *argv, struct error *err)
{
	struct parser p = {.tables = tables, .bases = bases, .argv = argv, .argc = argc};
	struct cursor c;

	if (store_presets(&p, err))
		return -1;
	while (p.next < p.argc) {
		const char *arg = p.argv[p.next++];
		int rc;

		if (!strcmp(arg, "--"))
			continue; /* what netperf puts between its two kinds of options */
		if (arg[0] == '-' && arg[1] == '-')
			rc = parse_long(&p, arg, err);
		else if (arg[0] == '-' && arg[1])
			rc = parse_letters(&p, arg, err);
		else if (find_positional(&p, &c))
			rc = apply(&p, &c, c.spec->name, arg, err);
		else
			rc = error_set(err, ERROR_USAGE, "unexpected argument '%s'", arg);
		if (rc)
			return -1;
	}
	return 0;
}

static void print_value_name(const struct option_spec *s, FILE *out)
{
	switch (s->type) {
	case OPTION_FLAG:
	case OPTION_SET:
		break;
	case OPTION_INT:
	case OPTION_REAL:
		fputs(" N", out);
		break;
	case OPTION_SIZE:
		fputs(" SIZE", out);
		break;
	case OPTION_TIME:
		fputs(" TIME", out);
		break;
	case OPTION_STRING:
		fputs(" TEXT", out);
		break;
	case OPTION_CHOICE:
		for (int i = 0; s->choices[i]; i++)
			fprintf(out, "%c%s", i ? '|' : ' ', s->choices[i]);
		break;
	}
}

void option_help(const struct option_spec *table, FILE *out)
{
	for (const struct option_spec *s = table; s->name; s++) {
		if (s->letter)
			fprintf(out, "  -%c, --%s", s->letter, s->name);
		else
			fprintf(out, "      --%s", s->name);
		print_value_name(s, out);
		fprintf(out, "\n          %s", s->help);
		if (s->positional)
			fputs(" (the name may be left out)", out);
		if (s->unit)
			fprintf(out, "; unit: %s", s->unit);
		if (s->preset)
			fprintf(out, "; default: %s", s->preset);
		else if (takes_argument(s))
			fputs("; default: none", out);
		putc('\n', out);
	}
}

static void print_json_value(const struct option_spec *s, const void *field, FILE *out)
{
	const char *text;

	switch (s->type) {
	case OPTION_FLAG:
		fputs(*(const bool *)field ? "true" : "false", out);
		break;
	case OPTION_SET:
		fputs(*(const int *)field == s->value ? "true" : "false", out);
		break;
	case OPTION_INT:
	case OPTION_SIZE:
		fprintf(out, "%" PRId64, *(const int64_t *)field);
		break;
	case OPTION_REAL:
		json_real(out, *(const double *)field);
		break;
	case OPTION_TIME:
		json_real(out, (double)*(const int64_t *)field / (double)number_unit_ns(s->unit));
		break;
	case OPTION_STRING:
		text = *(const char *const *)field;
		if (text)
			json_string(out, text);
		else
			fputs("null", out);
		break;
	case OPTION_CHOICE:
		json_string(out, s->choices[*(const int *)field]);
		break;
	}
}

void option_json(const struct option_spec *table, const void *params, FILE *out)
{
	putc('{', out);
	for (const struct option_spec *s = table; s->name; s++) {
		if (s != table)
			putc(',', out);
		json_string(out, s->name);
		putc(':', out);
		print_json_value(s, (const char *)params + s->offset, out);
	}
	putc('}', out);
}
