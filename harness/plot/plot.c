// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot/plot.h"
#include "plot/plot_data.h"
#include "report/analysis.h"
#include "util/file.h"
#include "util/place.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

enum { GNUPLOT_TIMEOUT_MS = 60000, TITLE_WIDTH = 100 };

static const struct kind {
	const char *name, *summary;
	enum plot_content content;
} kinds[] = {
	{"lines", "mean per case with its interval", CONTENT_MEAN},
	{"bars", "the same as bars", CONTENT_MEAN},
	{"ratio", "change against the baseline with its interval", CONTENT_CHANGE},
	{"cv", "spread of the samples in percent of their mean", CONTENT_COEFFVAR},
	{"ecdf", "distribution of the samples, relative to the baseline's mean", CONTENT_SHARE},
	{"run-order", "samples in the order measured: shows drift", CONTENT_ORDER},
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

const char *plot_kind_at(size_t index, const char **summary)
{
	if (index >= KINDS)
		return NULL;
	if (summary)
		*summary = kinds[index].summary;
	return kinds[index].name;
}

static const struct kind *find_kind(const char *name, struct error *err)
{
	struct strbuf names = STRBUF_INIT;
	size_t i = 0;

	for (; i < KINDS && strcmp(kinds[i].name, name); i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", kinds[i].name);
	if (i == KINDS)
		error_set(err, ERROR_USAGE, "no plot '%s' (there are: %s)", name, names.buf);
	strbuf_release(&names);
	return i < KINDS ? &kinds[i] : NULL;
}

static char *find_script(const char *name, struct error *err)
{
	char *folder = data_folder("plots");
	char *path = xasprintf("%s/%s.gnuplot", folder, name);

	if (!path_exists(path)) {
		error_set(err, ERROR_FAILED,
			  "no script '%s' (run make install, or from the source tree)", path);
		free(path);
		path = NULL;
	}
	free(folder);
	return path;
}

/* The terminal of an output, from its extension. */
static char *terminal(const struct plot_options *opt, struct error *err)
{
	const char *dot = opt->output ? strrchr(opt->output, '.') : NULL;

	if (opt->text)
		return xasprintf("set terminal dumb mono noenhanced size %u,%u",
				 opt->columns ? opt->columns : 100, opt->rows ? opt->rows : 30);
	if (dot && !strcmp(dot, ".png"))
		return xstrdup(
			"set terminal pngcairo noenhanced size 1000,600 font 'DejaVu Sans,11'");
	if (dot && !strcmp(dot, ".svg"))
		return xstrdup("set terminal svg noenhanced size 1000,600 font 'DejaVu Sans,14' "
			       "background '#ffffff'");
	if (dot && !strcmp(dot, ".pdf"))
		return xstrdup(
			"set terminal pdfcairo noenhanced size 10in,6in font 'DejaVu Sans,13'");
	error_set(err, ERROR_USAGE, "cannot tell the format of '%s' (name it .png, .svg or .pdf)",
		  opt->output ? opt->output : "");
	return NULL;
}

/* Break at blanks so that no line is longer than the figure is wide. */
static void add_wrapped(struct strbuf *out, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t word = strcspn(text, " \n");

		if (column && column + 1 + word > TITLE_WIDTH) {
			strbuf_addch(out, '\n');
			column = 0;
		} else if (column) {
			strbuf_addch(out, ' ');
			column++;
		}
		strbuf_add(out, text, word);
		column += word;
		text += word;
		text += *text != '\0';
	}
}

static void add_title(const struct result *r, enum plot_content content, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;

	add_wrapped(out, r->title ? r->title : r->experiment ? r->experiment : "");
	if (r->boots && r->repetitions)
		strbuf_addf(&line, "%u boots x %u repetitions", r->boots, r->repetitions);
	if (content == CONTENT_MEAN || content == CONTENT_CHANGE)
		strbuf_addf(&line, "%sbars: 95 %% interval", line.len ? "; " : "");
	if (r->warning)
		strbuf_addf(&line, "%s%s", line.len ? "; " : "", r->warning);
	if (line.len) {
		strbuf_addch(out, '\n');
		add_wrapped(out, line.buf);
	}
	strbuf_release(&line);
}

static char *axis_label(const struct result *r, enum plot_content content)
{
	const char *metric = r->metric ? r->metric : "value";

	switch (content) {
	case CONTENT_MEAN:
		return xasprintf("%s %s%s%s%s, %s", result_mean_name(r), metric,
				 r->unit ? " (" : "", r->unit ? r->unit : "", r->unit ? ")" : "",
				 result_direction(r));
	case CONTENT_CHANGE:
		return xasprintf("change of %s against %s (%%), higher is better", metric,
				 r->variants[0]);
	case CONTENT_COEFFVAR:
		return xasprintf("standard deviation of %s (%% of mean), lower is better", metric);
	case CONTENT_SHARE:
	case CONTENT_ORDER:
		return xasprintf("%s (%% of mean of %s), %s", metric, r->variants[0],
				 result_direction(r));
	}
	return NULL;
}

/* Whether the names of the cases fit side by side; on axes of numbers the scripts leave out some. */
static bool names_fit(const struct result *r, const char *kind)
{
	size_t width = 0;

	if (strcmp(kind, "bars") && strcmp(kind, "cv") && r->case_numbers)
		return true;
	for (size_t i = 0; i < r->cases_count; i++)
		width += strlen(r->cases[i]) + 3;
	return width < 110;
}

struct job {
	char *folder, *data, *image; /* a private folder and the files in it */
};

static int job_begin(struct job *job, struct error *err)
{
	const char *tmp = getenv("TMPDIR");

	/* Absolute, since gnuplot takes names that start with '<' or '|' for programs. */
	job->folder = xasprintf("%s/schedbench-plot-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(job->folder)) {
		free(job->folder);
		job->folder = NULL;
		return error_set(err, ERROR_FAILED, "cannot make a temporary folder (set TMPDIR)");
	}
	job->data = path_join(job->folder, "data.tsv");
	job->image = path_join(job->folder, "image");
	return 0;
}

static void job_end(struct job *job)
{
	if (!job->folder)
		return;
	unlink(job->data);
	unlink(job->image);
	rmdir(job->folder);
	free(job->folder);
	free(job->data);
	free(job->image);
}

/* "gnuplot: line 12: ..." without the position and the caret that gnuplot draws around it. */
static const char *last_message(struct strbuf *text)
{
	char *line;

	while (text->len && strchr("\n ", text->buf[text->len - 1]))
		text->buf[--text->len] = '\0';
	line = strrchr(text->buf, '\n');
	return line ? line + 1 : text->buf;
}

static int run_gnuplot(const char *const *argv, const char *image, struct error *err)
{
	struct strbuf out = STRBUF_INIT, problem = STRBUF_INIT;
	struct stat st;
	int status, ret;

	ret = subprocess_capture(argv, GNUPLOT_TIMEOUT_MS, &out, &problem, &status, err);
	if (ret)
		error_prefix(err, "cannot draw (gnuplot is in the package gnuplot-nox): ");
	else if (status || stat(image, &st) || !st.st_size)
		ret = error_set(err, ERROR_FAILED, "gnuplot did not draw: %s",
				problem.len ? last_message(&problem) : "no reason given");
	strbuf_release(&out);
	strbuf_release(&problem);
	return ret;
}

static int draw(const struct result *r, const struct kind *kind, const struct job *job,
		const char *script, const char *set_terminal, struct error *err)
{
	struct strbuf title = STRBUF_INIT;
	char *ylabel = axis_label(r, kind->content);
	char *variants = xasprintf("%zu", r->variants_count);
	char *style = path_dirname(script), *common = path_join(style, "common.gnuplot");
	const char *argv[] = {
		"gnuplot",
		"-d",
		"-e",
		set_terminal,
		"-c",
		script,
		job->data,
		job->image,
		NULL, /* title */
		ylabel,
		r->case_label ? r->case_label : "case",
		variants,
		plot_data_logarithmic(r) ? "log"
		: r->case_numbers	 ? "linear"
					 : "names",
		names_fit(r, kind->name) ? "flat" : "steep",
		common,
		NULL,
	};
	int ret;

	add_title(r, kind->content, &title);
	argv[8] = title.buf;
	ret = run_gnuplot(argv, job->image, err);
	strbuf_release(&title);
	free(ylabel);
	free(variants);
	free(style);
	free(common);
	return ret;
}

/* Hand over what was asked for: the data file, the image, the drawing. */
static int deliver(const struct plot_options *opt, const struct job *job, const struct strbuf *data,
		   struct error *err)
{
	struct strbuf image = STRBUF_INIT;
	int ret = file_read(job->image, 0, &image, err);

	if (!ret && opt->data)
		ret = file_write(opt->data, data->buf, data->len, err);
	if (!ret && opt->text)
		strbuf_add(opt->drawing, image.buf, image.len);
	else if (!ret)
		ret = file_write(opt->output, image.buf, image.len, err);
	strbuf_release(&image);
	return ret;
}

int plot_result(const struct result *r, const struct plot_options *opt, struct error *err)
{
	const struct kind *kind = find_kind(opt->kind ? opt->kind : kinds[0].name, err);
	char *set_terminal = kind ? terminal(opt, err) : NULL;
	char *script = set_terminal ? find_script(kind->name, err) : NULL;
	struct strbuf data = STRBUF_INIT;
	struct job job = {0};
	int ret = -1;

	if (script && !job_begin(&job, err)) {
		plot_data(r, kind->content, &data);
		if (!file_write(job.data, data.buf, data.len, err) &&
		    !draw(r, kind, &job, script, set_terminal, err))
			ret = deliver(opt, &job, &data, err);
	}
	job_end(&job);
	strbuf_release(&data);
	free(script);
	free(set_terminal);
	return ret;
}
