# SPDX-License-Identifier: BSD-3-Clause
"""A model of Linux cake_mq: one rate over several queues, each with a CAKE of its own.

Part of the reference model (see cake_model.py).
"""

from cake_model import Cake, Unsupported, tin_table

SYNC = 200_000  # ns: how often a child looks at its siblings


class Child(Cake):
    """One queue's CAKE. Queues that send, or could, divide the rate by their number; each finds out
    for itself, when it is asked for a packet."""

    def __init__(self, options, random, seen, siblings):
        super().__init__(options, random, seen)
        self.queue = len(siblings)
        self.siblings = siblings  # itself among them
        self.last_checked = self.last_active = 0
        self.share = options.rate

    def dequeue(self, now):
        if self.shaped and now - self.last_checked >= SYNC:
            self.check_share(now)
        sent = super().dequeue(now)
        if sent:
            self.last_active = now
        return sent

    def check_share(self, now):
        """Count the children that have packets, or sent some since this one counted last."""
        active = 1 + sum(1 for other in self.siblings if other is not self and
                         (other.qlen or other.last_active > self.last_checked))
        share = self.options.rate // active
        self.last_checked = now
        self.seen["share " + ("kept" if share == self.share else
                              "cut" if share < self.share else "raised")] += 1
        self.share = share
        for tin, (threshold, _) in zip(self.tins, tin_table(self.options.mode, share)[0]):
            tin.set_threshold(threshold)
        self.rate = self.tins[0].rate


def children(options, random, seen, count):
    """`count` queues that share the rate, or, without one, have nothing to share."""
    if options.autorate:
        raise Unsupported("autorate-ingress with several queues")
    siblings = []
    for _ in range(count):
        siblings.append(Child(options, random, seen, siblings))
    return siblings
