/* SPDX-License-Identifier: BSD-3-Clause */
/* See openmetrics.h: from the table of families to text. */
#include "stats/openmetrics.h"

#include <inttypes.h>
#include <string.h>

#include "stats/openmetrics_family.h"

#define PREFIX "gateau_"

/* An escaped byte, the quote behind it and the final 0. */
#define LABEL_ROOM 4

static void put(struct labels *l, char c)
{
	l->text[l->used++] = c;
	l->text[l->used] = '\0';
}

static void put_escaped(struct labels *l, char c)
{
	if (c == '\n' || c == '"' || c == '\\')
		put(l, '\\');
	put(l, c == '\n' ? 'n' : c);
}

void labels_add(struct labels *l, const char *name, const char *value)
{
	const size_t need = strlen(name) + strlen(",=\"");

	if (l->used + need + LABEL_ROOM > sizeof(l->text))
		return;
	l->used += (size_t)sprintf(l->text + l->used, "%s%s=\"", l->used ? "," : "", name);
	while (*value && l->used + LABEL_ROOM <= sizeof(l->text))
		put_escaped(l, *value++);
	put(l, '"');
}

void labels_add_number(struct labels *l, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	labels_add(l, name, text);
}

struct labels labels_port(const struct exposition *e, unsigned port)
{
	struct labels l = {0};

	labels_add(&l, "port", e->s->config->ports[port].name);
	return l;
}

struct labels labels_queue(const struct exposition *e, const struct stats_queue *q)
{
	struct labels l = labels_port(e, q->port);

	labels_add_number(&l, "queue", q->queue);
	return l;
}

struct labels labels_tin(const struct exposition *e, const struct stats_queue *q, unsigned tin)
{
	struct labels l = labels_queue(e, q);

	labels_add(&l, "tin",
		   cake_tin_name(e->s->config->ports[q->port].scheduler.cake.diffserv, tin));
	return l;
}

static const char *type_suffix(const struct family *f)
{
	return f->type == FAMILY_COUNTER ? "_total" : f->type == FAMILY_INFO ? "_info" : "";
}

void write_sample(const struct exposition *e, const struct family *f, const char *suffix,
		  const struct labels *l, uint64_t value, unsigned decimals)
{
	uint64_t scale = 1;

	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	fprintf(e->out, PREFIX "%s%s%s", f->name, type_suffix(f), suffix);
	if (l)
		fprintf(e->out, "{%s}", l->text);
	fprintf(e->out, " %" PRIu64, value / scale);
	if (decimals)
		fprintf(e->out, ".%0*" PRIu64, (int)decimals, value % scale);
	fputc('\n', e->out);
}

/** The field of @f in the structure @in. */
static void write_field(const struct exposition *e, const struct family *f, const struct labels *l,
			const void *in)
{
	const char *field = (const char *)in + f->field;
	uint64_t value;
	uint32_t word;

	if (f->width == sizeof(value)) {
		memcpy(&value, field, sizeof(value));
	} else if (f->width == sizeof(word)) {
		memcpy(&word, field, sizeof(word));
		value = word;
	} else {
		value = *(const uint8_t *)field;
	}
	write_sample(e, f, "", l, value, f->decimals);
}

static void write_ports(const struct exposition *e, const struct family *f)
{
	for (unsigned p = 0; p < e->s->config->n_ports; p++) {
		struct labels l = labels_port(e, p);

		write_field(e, f, &l, &e->s->ports[p]);
	}
}

static void write_tins(const struct exposition *e, const struct family *f,
		       const struct stats_queue *q)
{
	for (unsigned t = 0; t < q->cake.tin_cnt; t++) {
		struct labels l = labels_tin(e, q, t);

		write_field(e, f, &l, &q->cake.tins[t]);
	}
}

static void write_queues(const struct exposition *e, const struct family *f)
{
	for (unsigned i = 0; i < e->s->n_queues; i++) {
		const struct stats_queue *q = &e->s->queues[i];
		struct labels l = labels_queue(e, q);

		if (f->scope == SCOPE_TIN)
			write_tins(e, f, q);
		else if (f->scope == SCOPE_QUEUE || q->shares)
			write_field(e, f, &l, q);
	}
}

static void write_lcores(const struct exposition *e, const struct family *f)
{
	for (unsigned i = 0; i < e->s->n_workers; i++) {
		struct labels l = {0};

		labels_add_number(&l, "cpu", e->s->workers[i].cpu);
		write_field(e, f, &l, &e->s->workers[i]);
	}
}

static void write_samples(const struct exposition *e, const struct family *f)
{
	switch (f->scope) {
	case SCOPE_ALL:
		write_field(e, f, NULL, e->s);
		break;
	case SCOPE_PORT:
		write_ports(e, f);
		break;
	case SCOPE_LCORE:
		write_lcores(e, f);
		break;
	case SCOPE_OTHERS:
		f->write(e, f);
		break;
	default:
		write_queues(e, f);
		break;
	}
}

/** The older format knows no info, and says of a counter what its samples are called. */
static void write_head(const struct exposition *e, const struct family *f)
{
	static const char *const types[] = {"gauge", "counter", "histogram", "info"};
	const bool plain = e->format == OPENMETRICS_PLAIN;
	const char *suffix = plain ? type_suffix(f) : "";
	const char *type = plain && f->type == FAMILY_INFO ? "gauge" : types[f->type];

	fprintf(e->out, "# HELP " PREFIX "%s%s %s\n", f->name, suffix, f->help);
	fprintf(e->out, "# TYPE " PREFIX "%s%s %s\n", f->name, suffix, type);
	if (!plain && f->unit)
		fprintf(e->out, "# UNIT " PREFIX "%s %s\n", f->name, f->unit);
}

void openmetrics_write(FILE *out, enum openmetrics_format format, const struct stats_snapshot *s,
		       uint64_t generation)
{
	const struct exposition e = {
		.out = out,
		.format = format,
		.s = s,
		.generation = generation,
	};

	for (const struct family *f = openmetrics_families; f->name; f++) {
		write_head(&e, f);
		write_samples(&e, f);
	}
	if (format == OPENMETRICS_1)
		fputs("# EOF\n", out);
}
