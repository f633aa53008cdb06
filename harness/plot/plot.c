// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot/plot.h"
#include "plot/plot_caption.h"
#include "plot/plot_data.h"
#include "plot/plot_text.h"
#include "report/analysis.h"
#include "util/file.h"
#include "util/place.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

enum { GNUPLOT_TIMEOUT_MS = 60000, AXIS_WIDTH = 120 /* characters below the axis */ };

static const struct kind {
	const char *name, *summary;
	enum plot_content content;
	bool by_name; /* the cases are names on x, also where they are numbers */
} kinds[] = {
	{"lines", "mean per case with its interval", CONTENT_MEAN, false},
	{"bars", "the same as lines, drawn as bars", CONTENT_MEAN, true},
	{"ratio", "change against the baseline with its interval", CONTENT_CHANGE, false},
	{"cv", "spread of the samples in percent of their mean", CONTENT_COEFFVAR, true},
	{"ecdf", "distribution of the samples, relative to the baseline's mean", CONTENT_SHARE,
	 false},
	{"run-order", "samples in the order measured: shows drift", CONTENT_ORDER, false},
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
	const char *own = getenv("SCHEDBENCH_PLOTS");
	char *folder = own && *own ? xstrdup(own) : data_folder("plots");
	char *path = xasprintf("%s/%s.gnuplot", folder, name);

	if (!path_exists(path)) {
		error_set(
			err, ERROR_FAILED,
			"no script '%s' (run make install, or set SCHEDBENCH_PLOTS to the folder)",
			path);
		free(path);
		path = NULL;
	}
	free(folder);
	return path;
}

/* The terminal of a picture, from its extension. Fonts have the same size in all of them. */
static char *picture_terminal(const char *path, struct error *err)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".png"))
		return xstrdup("set terminal pngcairo noenhanced size 1000,600 "
			       "font 'DejaVu Sans,11'");
	if (dot && !strcmp(dot, ".svg"))
		return xstrdup("set terminal svg noenhanced size 1000,600 "
			       "font 'DejaVu Sans,11' fontscale 1.33 background '#ffffff'");
	if (dot && !strcmp(dot, ".pdf"))
		return xstrdup("set terminal pdfcairo noenhanced size 10in,6in "
			       "font 'DejaVu Sans,11' fontscale 0.95");
	error_set(err, ERROR_USAGE, "cannot tell the format of '%s' (name it .png, .svg or .pdf)",
		  path);
	return NULL;
}

static const char *axis_kind(const struct result *r)
{
	if (plot_data_logarithmic(r))
		return "log";
	return r->case_numbers ? "linear" : "names";
}

/*
 * "flat" where the names of the cases fit side by side below an axis of @width characters, else
 * "steep", and how many characters each has. On axes of numbers the scripts leave out some,
 * and not all figures have them there.
 */
static char *label_room(const struct result *r, const struct kind *kind, size_t width)
{
	bool leave_out = (r->case_numbers && !kind->by_name) || kind->content == CONTENT_SHARE ||
			 kind->content == CONTENT_ORDER;
	size_t longest = 0, room = leave_out ? width : width / r->cases_count;

	for (size_t i = 0; i < r->cases_count; i++) {
		size_t len = plot_text_length(r->cases[i]);

		longest = len > longest ? len : longest;
	}
	room = room > 3 ? room - 2 : 1;
	return xasprintf("%s %zu", leave_out || longest <= room ? "flat" : "steep", room);
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

/* Where to and how: a picture or a drawing with characters. */
struct canvas {
	char *terminal; /* command for gnuplot; holds nothing from outside */
	unsigned columns; /* of a drawing with characters, else 0 */
};

static int draw(const struct result *r, const struct kind *kind, const struct job *job,
		const char *script, const struct canvas *canvas, struct error *err)
{
	struct strbuf heading = STRBUF_INIT, measure = STRBUF_INIT, label = STRBUF_INIT;
	char *variants = xasprintf("%zu", r->variants_count);
	char *room = label_room(r, kind, canvas->columns ? canvas->columns : AXIS_WIDTH);
	char *folder = path_dirname(script), *common = path_join(folder, "common.gnuplot");
	int ret;

	plot_caption_heading(r, kind->content, canvas->columns, &heading);
	plot_caption_measure(r, kind->content, &measure);
	if (kind->content == CONTENT_ORDER)
		plot_text_add(&label, plot_data_order_axis(r));
	else
		plot_text_add(&label, r->case_label ? r->case_label : "case");
	ret = run_gnuplot((const char *[]){"gnuplot", "-d", "-e", canvas->terminal, "-c", script,
					   job->data, job->image, heading.buf, measure.buf,
					   label.buf, variants, axis_kind(r), room, common, NULL},
			  job->image, err);
	strbuf_release(&heading);
	strbuf_release(&measure);
	strbuf_release(&label);
	free(variants);
	free(room);
	free(folder);
	free(common);
	return ret;
}

/* Without the form feed and blank lines before it and the blanks that fill its lines, so that it
 * can be pasted into a mail. */
static void add_drawing(struct strbuf *out, const char *text)
{
	size_t start = out->len;

	while (*text) {
		const char *end = text + strcspn(text, "\n");
		size_t len;

		if (*text == '\f')
			text++;
		len = end - text;
		while (len && text[len - 1] == ' ')
			len--;
		strbuf_add(out, text, len);
		if (out->len > start)
			strbuf_addch(out, '\n');
		text = end + (*end != '\0');
	}
}

static int draw_text(const struct result *r, const struct kind *kind, const struct job *job,
		     const char *script, const struct plot_options *opt, struct error *err)
{
	struct canvas canvas = {.columns = opt->columns ? opt->columns : 100};
	struct strbuf drawing = STRBUF_INIT;
	int ret;

	canvas.terminal = xasprintf("set terminal dumb mono noenhanced size %u,%u", canvas.columns,
				    opt->rows ? opt->rows : 30);
	ret = draw(r, kind, job, script, &canvas, err);
	if (!ret)
		ret = file_read(job->image, 0, &drawing, err);
	if (!ret)
		add_drawing(opt->drawing, drawing.buf);
	strbuf_release(&drawing);
	free(canvas.terminal);
	return ret;
}

static int draw_picture(const struct result *r, const struct kind *kind, const struct job *job,
			const char *script, const struct plot_options *opt, struct error *err)
{
	struct canvas canvas = {.terminal = picture_terminal(opt->output, err)};
	struct strbuf image = STRBUF_INIT;
	int ret = canvas.terminal ? draw(r, kind, job, script, &canvas, err) : -1;

	if (!ret)
		ret = file_read(job->image, 0, &image, err);
	if (!ret)
		ret = file_write(opt->output, image.buf, image.len, err);
	strbuf_release(&image);
	free(canvas.terminal);
	return ret;
}

/* The data first: it can be kept even where there is no gnuplot. */
static int draw_all(const struct result *r, const struct kind *kind, const char *script,
		    const struct strbuf *data, const struct plot_options *opt, struct error *err)
{
	struct job job = {0};
	int ret = job_begin(&job, err);

	if (!ret)
		ret = file_write(job.data, data->buf, data->len, err);
	if (!ret && opt->data)
		ret = file_write(opt->data, data->buf, data->len, err);
	if (!ret && opt->text)
		ret = draw_text(r, kind, &job, script, opt, err);
	if (!ret && opt->output)
		ret = draw_picture(r, kind, &job, script, opt, err);
	job_end(&job);
	return ret;
}

static int check_output(const struct plot_options *opt, struct error *err)
{
	char *terminal = opt->output ? picture_terminal(opt->output, err) : NULL;
	bool known = !opt->output || terminal;

	free(terminal);
	return known ? 0 : -1;
}

static const char *needs(enum plot_content content)
{
	switch (content) {
	case CONTENT_CHANGE:
		return "two variants with samples in the same case";
	case CONTENT_COEFFVAR:
		return "a case with two samples";
	case CONTENT_SHARE:
		return "a case with samples of the baseline";
	case CONTENT_MEAN:
	case CONTENT_ORDER:
		break;
	}
	return "a case whose samples have a mean";
}

bool plot_is_empty(const struct result *r, const char *kind)
{
	struct error err = ERROR_INIT;
	const struct kind *found = find_kind(kind, &err);
	struct strbuf data = STRBUF_INIT;
	bool empty = !found || !plot_data(r, found->content, &data);

	strbuf_release(&data);
	return empty;
}

int plot_result(const struct result *r, const struct plot_options *opt, struct error *err)
{
	const struct kind *kind = find_kind(opt->kind ? opt->kind : kinds[0].name, err);
	struct strbuf data = STRBUF_INIT;
	char *script = NULL;
	int ret = -1;

	if (!kind || check_output(opt, err))
		return -1;
	if (!plot_data(r, kind->content, &data))
		error_set(err, ERROR_FAILED, "nothing to plot (--kind %s needs %s)", kind->name,
			  needs(kind->content));
	else if ((script = find_script(kind->name, err)))
		ret = draw_all(r, kind, script, &data, opt, err);
	free(script);
	strbuf_release(&data);
	return ret;
}
