/* SPDX-License-Identifier: BSD-3-Clause */
/* Who serves which queue: dealing in turn, the operator's own choice, ports without links. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lcore/topology.h"

static const uint16_t cpus[] = {2, 3, 5, 7};

/** @n ports of @rx_queues, each linked to the next, the last to the first. */
static struct gateau_config ring_of(unsigned n, unsigned rx_queues)
{
	struct gateau_config cfg = {.n_ports = n, .n_links = n};

	for (unsigned i = 0; i < n; i++) {
		cfg.ports[i].rx_queues = rx_queues;
		cfg.ports[i].tx_queues = 1;
		cfg.links[i] = (struct config_link){.from = i, .to = (i + 1) % n};
	}
	return cfg;
}

static struct topology dealt(const struct gateau_config *cfg, unsigned n_cpus)
{
	struct topology_wish unmet;
	struct topology t;

	assert_int_equal(topology_deal(&t, cfg, cpus, n_cpus, &unmet), 0);
	return t;
}

static void one_worker_has_everything(void **state)
{
	struct gateau_config cfg = ring_of(2, 3);
	struct topology t = dealt(&cfg, 1);

	(void)state;
	assert_int_equal(t.n_rx, 6);
	assert_int_equal(t.n_tx, 2);
	for (unsigned i = 0; i < t.n_rx; i++)
		assert_int_equal(t.rx[i].q.worker, 0);
	for (unsigned i = 0; i < t.n_tx; i++)
		assert_int_equal(t.tx[i].worker, 0);
}

static void queues_are_dealt_in_turn_rx_before_tx(void **state)
{
	struct gateau_config cfg = ring_of(2, 2);
	struct topology t = dealt(&cfg, 3);
	/* port 0 queue 0, port 0 queue 1, port 1 queue 0, port 1 queue 1; then both TX queues */
	static const unsigned rx[] = {0, 1, 2, 0}, tx[] = {1, 2};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(t.rx[i].q.worker, rx[i]);
		assert_int_equal(t.rx[i].q.port, i / 2);
		assert_int_equal(t.rx[i].q.queue, i % 2);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(t.tx[i].worker, tx[i]);
		assert_int_equal(t.tx[i].port, i);
	}
}

static void all_tx_queues_of_a_port_are_dealt(void **state)
{
	struct gateau_config cfg = ring_of(2, 1);
	struct topology t;

	(void)state;
	cfg.ports[0].tx_queues = 5;
	t = dealt(&cfg, 3);
	assert_int_equal(t.n_tx, 6);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(t.tx[i].port, 0);
		assert_int_equal(t.tx[i].queue, i);
		assert_int_equal(t.tx[i].worker, (2 + i) % 3); /* behind two RX queues */
	}
	assert_int_equal(t.tx[5].port, 1);
	assert_int_equal(t.tx[5].queue, 0);
}

/* More workers than queues: some have nothing to run. */
static void each_tx_queue_may_have_a_cpu_of_its_own(void **state)
{
	struct gateau_config cfg = ring_of(2, 1);
	struct topology t;

	(void)state;
	cfg.n_links = 1; /* 0 to 1 */
	cfg.ports[1].tx_queues = 3;
	cfg.ports[1].n_tx_lcores = 3;
	memcpy(cfg.ports[1].tx_lcores, (uint16_t[]){7, 3, 7}, 3 * sizeof(uint16_t));
	t = dealt(&cfg, 4);
	assert_int_equal(t.n_tx, 3);
	assert_int_equal(t.tx[0].worker, 3);
	assert_int_equal(t.tx[1].worker, 1);
	assert_int_equal(t.tx[2].worker, 3);
}

static void the_largest_configuration_fits(void **state)
{
	static struct gateau_config cfg;
	static struct topology t;
	struct topology_wish unmet;

	(void)state;
	cfg = ring_of(CONFIG_PORTS_MAX, CONFIG_QUEUES_MAX);
	for (unsigned i = 0; i < cfg.n_ports; i++)
		cfg.ports[i].tx_queues = CONFIG_QUEUES_MAX;
	assert_int_equal(topology_deal(&t, &cfg, cpus, 4, &unmet), 0);
	assert_int_equal(t.n_rx, 2048);
	assert_int_equal(t.n_tx, 2048);
	assert_int_equal(t.tx[2047].queue, 63);
}

static void no_worker_has_two_queues_more_than_another(void **state)
{
	(void)state;
	for (unsigned ports = 2; ports <= 5; ports++)
		for (unsigned queues = 1; queues <= 4; queues++)
			for (unsigned n = 1; n <= 4; n++) {
				struct gateau_config cfg = ring_of(ports, queues);
				struct topology t = dealt(&cfg, n);
				unsigned load[4] = {0}, least, most;

				for (unsigned i = 0; i < t.n_rx; i++)
					load[t.rx[i].q.worker]++;
				for (unsigned i = 0; i < t.n_tx; i++)
					load[t.tx[i].worker]++;
				least = most = load[0];
				for (unsigned i = 1; i < n; i++) {
					least = load[i] < least ? load[i] : least;
					most = load[i] > most ? load[i] : most;
				}
				assert_in_range(most - least, 0, 1);
			}
}

static void frames_go_where_the_link_leads(void **state)
{
	struct gateau_config cfg = ring_of(3, 1);
	struct topology t = dealt(&cfg, 2);

	(void)state;
	assert_int_equal(t.rx[0].to, 1);
	assert_int_equal(t.rx[1].to, 2);
	assert_int_equal(t.rx[2].to, 0);
}

static void a_port_names_the_cpus_it_wants(void **state)
{
	struct gateau_config cfg = ring_of(2, 2);
	struct topology t;

	(void)state;
	cfg.ports[0].n_rx_lcores = 2;
	cfg.ports[0].rx_lcores[0] = 7;
	cfg.ports[0].rx_lcores[1] = 7;
	cfg.ports[1].n_tx_lcores = 1;
	cfg.ports[1].tx_lcores[0] = 5;
	t = dealt(&cfg, 4);
	assert_int_equal(t.rx[0].q.worker, 3);
	assert_int_equal(t.rx[1].q.worker, 3);
	/* the rest is dealt from the first worker on */
	assert_int_equal(t.rx[2].q.worker, 0);
	assert_int_equal(t.rx[3].q.worker, 1);
	assert_int_equal(t.tx[0].worker, 2);
	assert_int_equal(t.tx[1].worker, 2);
}

static void a_cpu_without_a_worker_is_an_error_that_names_who_wants_it(void **state)
{
	struct gateau_config cfg = ring_of(2, 2);
	struct topology_wish unmet;
	struct topology t;

	(void)state;
	cfg.ports[1].tx_queues = 2;
	cfg.ports[1].n_tx_lcores = 2;
	cfg.ports[1].tx_lcores[0] = 5;
	cfg.ports[1].tx_lcores[1] = 6;
	assert_int_equal(topology_deal(&t, &cfg, cpus, 4, &unmet), -ENOENT);
	assert_int_equal(unmet.port, 1);
	assert_true(unmet.tx);
	assert_int_equal(unmet.queue, 1);
	assert_int_equal(unmet.cpu, 6);
	/* 7 is a CPU, but only the first three have workers */
	cfg.ports[0].n_rx_lcores = 2;
	cfg.ports[0].rx_lcores[0] = 2;
	cfg.ports[0].rx_lcores[1] = 7;
	assert_int_equal(topology_deal(&t, &cfg, cpus, 3, &unmet), -ENOENT);
	assert_int_equal(unmet.port, 0);
	assert_false(unmet.tx);
	assert_int_equal(unmet.queue, 1);
	assert_int_equal(unmet.cpu, 7);
}

static void a_one_way_link_polls_one_port_and_schedules_the_other(void **state)
{
	struct gateau_config cfg = ring_of(2, 1);
	struct topology t;

	(void)state;
	cfg.n_links = 1; /* 0 to 1 */
	t = dealt(&cfg, 2);
	assert_int_equal(t.n_rx, 1);
	assert_int_equal(t.rx[0].q.port, 0);
	assert_int_equal(t.n_tx, 1);
	assert_int_equal(t.tx[0].port, 1);
}

static void two_links_to_one_port_share_its_queue(void **state)
{
	struct gateau_config cfg = ring_of(3, 1);
	struct topology t;

	(void)state;
	cfg.n_links = 2;
	cfg.links[0] = (struct config_link){.from = 0, .to = 2};
	cfg.links[1] = (struct config_link){.from = 1, .to = 2};
	t = dealt(&cfg, 2);
	assert_int_equal(t.n_rx, 2);
	assert_int_equal(t.n_tx, 1);
	assert_int_equal(t.rx[0].to, 2);
	assert_int_equal(t.rx[1].to, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_worker_has_everything),
		cmocka_unit_test(queues_are_dealt_in_turn_rx_before_tx),
		cmocka_unit_test(all_tx_queues_of_a_port_are_dealt),
		cmocka_unit_test(each_tx_queue_may_have_a_cpu_of_its_own),
		cmocka_unit_test(the_largest_configuration_fits),
		cmocka_unit_test(no_worker_has_two_queues_more_than_another),
		cmocka_unit_test(frames_go_where_the_link_leads),
		cmocka_unit_test(a_port_names_the_cpus_it_wants),
		cmocka_unit_test(a_cpu_without_a_worker_is_an_error_that_names_who_wants_it),
		cmocka_unit_test(a_one_way_link_polls_one_port_and_schedules_the_other),
		cmocka_unit_test(two_links_to_one_port_share_its_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
