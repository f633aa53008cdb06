// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "mail/codec.h"
#include "mail/mail.h"
#include "util/file.h"
#include "util/xalloc.h"

struct options {
	const char *reference, *output;
	struct mail_search search;
	bool json;
};

enum { OPTION_MAILS = 256, OPTION_OFFLINE, OPTION_PARTIAL };

static const struct argp_option patch_options[] = {
	{"json", 'j', NULL, 0, "Print what is known of the mail as well, as JSON", 0},
	{"output", 'o', "FILE", 0, "Write there; default: standard output", 0},
	{"mails", OPTION_MAILS, "DIR", 0,
	 "Folders to look in, colon separated; default: $SCHEDBENCH_MAILS", 0},
	{"offline", OPTION_OFFLINE, NULL, 0, "Do not fetch a mail that is in no folder", 0},
	{"partial", OPTION_PARTIAL, NULL, 0,
	 "Also a diff that is quoted or not whole, as far as it goes", 0},
	{0}};

static error_t parse_patch(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPTION_MAILS:
		o->search.folders = arg;
		return 0;
	case OPTION_OFFLINE:
		o->search.offline = true;
		return 0;
	case OPTION_PARTIAL:
		o->search.partial = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->reference)
			argp_error(state, "one mail at a time");
		o->reference = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp patch_argp = {
	.options = patch_options,
	.parser = parse_patch,
	.args_doc = "FILE|MESSAGE-ID[#N]",
	.doc = "Print the diff that a mail holds, as git apply takes it.\v"
	       "FILE is a mail, an mbox, a page of an archive saved as text or HTML, or '-'. A "
	       "Message-Id or "
	       "an address of lore.kernel.org is looked up in the folders and fetched with b4 "
	       "where it is not. "
	       "#2 takes patch 2 of a series, #1-3 the first three."};

static json_t *text_or_null(const char *s)
{
	char *clean = s ? utf8_clean(s, strlen(s)) : NULL;
	json_t *j = clean ? json_string(clean) : json_null();

	free(clean);
	return j;
}

static json_t *time_json(int64_t seconds)
{
	char buf[64];
	time_t t = (time_t)seconds;
	struct tm tm;

	if (seconds == MAIL_NO_TIME || !gmtime_r(&t, &tm) ||
	    !strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return json_null();
	return json_string(buf);
}

static json_t *references_json(const struct mail *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->references.count; i++)
		json_array_append_new(array, text_or_null(m->references.items[i]));
	return array;
}

static json_t *patch_json(const struct mail_found_patch *found)
{
	const struct mail *m = found->mail;
	const struct mail_patch *p = found->patch;
	char *diff = utf8_clean(p->diff, p->len);
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, "
			      "s:b, s:i, s:i, s:i, s:i, s:i, "
			      "s:i, s:i, s:b, s:o, s:s}",
			      "subject", text_or_null(m->subject), "title", text_or_null(m->title),
			      "message_id", text_or_null(m->message_id), "in_reply_to",
			      text_or_null(m->in_reply_to), "references", references_json(m),
			      "author", text_or_null(m->author), "date", text_or_null(m->date),
			      "time", time_json(m->time), "base_commit",
			      text_or_null(m->base_commit), "commit", text_or_null(m->commit),
			      "version", m->version, "number", m->number, "total", m->total,
			      "reply", m->reply, "line", p->line, "quoted", p->quoted, "files",
			      p->files, "hunks", p->hunks, "added", p->added, "removed", p->removed,
			      "repaired", p->repaired, "whole", !p->problem, "problem",
			      text_or_null(p->problem), "diff", diff);

	free(diff);
	return o;
}

static void format_json(struct strbuf *out, const struct mail_found *found, const char *reference)
{
	json_t *patches = json_array(), *missing = json_array(), *root;
	char *text;

	for (unsigned i = 0; i < found->count; i++)
		json_array_append_new(patches, patch_json(&found->patches[i]));
	for (unsigned i = 0; i < found->missing_count; i++)
		json_array_append_new(missing, json_integer(found->missing[i]));
	root = json_pack("{s:o, s:o, s:o}", "reference", text_or_null(reference), "patches",
			 patches, "missing", missing);
	text = json_dumps(root, JSON_INDENT(2));
	strbuf_addf(out, "%s\n", text);
	free(text);
	json_decref(root);
}

/* What does not stop the diff from being printed, but may stop it from being applied. */
static void print_notes(const struct mail_found *found)
{
	char *missing = mail_found_missing(found);

	if (*missing)
		fprintf(stderr, "schedbench: %s\n", missing);
	free(missing);
	for (unsigned i = 0; i < found->count; i++) {
		const struct mail_patch *p = found->patches[i].patch;

		if (p->repaired)
			fprintf(stderr,
				"schedbench: %u lines were mended that a mail program had "
				"changed\n",
				p->repaired);
		if (p->problem)
			fprintf(stderr, "schedbench: not whole: %s\n", p->problem);
	}
}

static int write_output(const char *path, const struct strbuf *out, struct error *err)
{
	if (path && strcmp(path, "-"))
		return file_write(path, out->buf, out->len, err);
	fwrite(out->buf, 1, out->len, stdout);
	return 0;
}

static int mail_patch(int argc, char **argv, struct error *err)
{
	struct options o = {0};
	struct mail_found found;
	struct strbuf out = STRBUF_INIT;
	int ret;

	argp_parse(&patch_argp, argc, argv, 0, NULL, &o);
	if (!o.reference)
		return error_set(err, ERROR_USAGE, "patch of which mail? (%s)",
				 patch_argp.args_doc);
	if (mail_patch_find(&found, o.reference, &o.search, err))
		return -1;
	if (o.json)
		format_json(&out, &found, o.reference);
	for (unsigned i = 0; i < found.count && !o.json; i++)
		strbuf_add(&out, found.patches[i].patch->diff, found.patches[i].patch->len);
	print_notes(&found);
	ret = write_output(o.output, &out, err);
	strbuf_release(&out);
	mail_found_release(&found);
	return ret;
}

static const struct {
	const char *name, *summary;
	int (*run)(int argc, char **argv, struct error *err);
} commands[] = {
	{"patch", "print the diff that a mail holds", mail_patch},
	{"tables", "print the tables of results that a mail holds", mail_tables},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(void)
{
	printf("usage: schedbench mail COMMAND [ARGUMENTS]\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-6s  %s\n", commands[i].name, commands[i].summary);
	printf("\n'schedbench mail COMMAND --help' explains the options of a command.\n");
}

int cmd_mail(int argc, char **argv, struct error *err)
{
	char *name;
	int ret = 0;

	if (argc < 2)
		return error_set(err, ERROR_USAGE, "mail what? (patch or tables)");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?")) {
		print_help();
		return 0;
	}
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		name = xasprintf("%s %s", argv[0], argv[1]);
		argv[1] = name;
		ret = commands[i].run(argc - 1, argv + 1, err);
		free(name);
		return ret;
	}
	return error_set(err, ERROR_USAGE, "no 'mail %s' (patch or tables)", argv[1]);
}
