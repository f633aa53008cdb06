// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Published tables may come from elsewhere. What is read is written as it can be read again, and
 * what cannot be read is an error that names the line.
 */
#include "mutate.h"
#include "published/archive.h"
#include "published/assemble.h"
#include "util/xalloc.h"

static void name_columns(struct table *t)
{
	static const char *const names[] = {"baseline", "overload"};

	t->columns_count = 2;
	for (unsigned i = 0; i < 2; i++)
		table_set_column(t, i, names[i], strlen(names[i]));
	t->heading = xstrdup("");
	t->test = xstrdup("");
	t->unit = xstrdup("");
	t->statistic = xstrdup("");
}

static bool read_table(struct table *t, const char *text)
{
	struct error err = ERROR_INIT;

	*t = (struct table){.style = STYLE_MMTESTS};
	name_columns(t);
	if (!published_parse_tsv(t, "fuzz", text, &err))
		return true;
	CHECK(err.kind == ERROR_USAGE && !strncmp(err.msg, "fuzz:", 5));
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	struct table t, again;

	if (read_table(&t, text)) {
		table_check(&t);
		published_tsv(&t, &once);
		CHECK(read_table(&again, once.buf));
		published_tsv(&again, &twice);
		CHECK(!strcmp(once.buf, twice.buf));
		table_release(&again);
	}
	table_release(&t);
	strbuf_release(&once);
	strbuf_release(&twice);
	free(text);
	return 0;
}

#ifndef FUZZER

int main(void)
{
	static const char *const pieces[] = {"\t",  "\n", "yes",      "NaN",
					     "1e9", "-",  "0.5",      "99999999999999999999",
					     "~",   "K",  "baseline", "Inf"};
	unsigned inputs = fuzz_folder("results/published/20200320-sis-overload", ".tsv", pieces,
				      sizeof(pieces) / sizeof(pieces[0]));

	printf("1..1\n%s 1 - %u tables and broken tables are read\n", inputs ? "ok" : "not ok",
	       inputs);
	return inputs ? 0 : 1;
}

#endif
