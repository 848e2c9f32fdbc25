"""Slow, obvious twins of the searches: matrices and plain loops, one `ask` at a time."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np


def naive_stable_skeleton(test, max_order=None):
    """PC-stable's skeleton by its definition, and how often it asked by bnlearn's rule."""
    n = len(test.names)
    joined = {frozenset(pair) for pair in combinations(range(n), 2)}
    asked = Counter()
    order = 0
    while max_order is None or order <= max_order:
        frozen = {v: sorted(u for u in range(n) if frozenset((u, v)) in joined) for v in range(n)}
        if not any(len(frozen[v]) - 1 >= order for v in range(n)):
            break
        for pair in sorted(map(sorted, joined)):
            x, y = pair
            first = [v for v in frozen[x] if v != y]
            second = [v for v in frozen[y] if v != x]
            sets = list(combinations(first, order))
            if order == 1:
                sets += [(v,) for v in second if v not in first]
            elif order > 1 and first != second:
                sets += list(combinations(second, order))
            for given in sets:
                asked[order] += 1
                if test.ask(x, y, given).independent:
                    joined.discard(frozenset(pair))
                    break
        order += 1
    adjacency = np.zeros((n, n), dtype=bool)
    for x, y in map(tuple, joined):
        adjacency[x, y] = adjacency[y, x] = True
    return adjacency, asked


class NaiveRai:
    """RAI as FixRAI runs it, on a 0/1 matrix `G[i, j] = 1` for i -> j, both for i -- j."""

    def __init__(self, test, *, candidates="neighbours", orientation="last-writer", rule3="correct"):
        self.test = test
        self.n = len(test.names)
        self.G = 1 - np.eye(self.n, dtype=int)
        self.sep = {}
        self.count = Counter()
        self.candidates, self.orientation, self.rule3 = candidates, orientation, rule3

    def run(self):
        self.learn([], list(range(self.n)), 0)
        self.G = self.orient_final(self.G)
        return self.G

    def learn(self, ex, S, n):
        if not S or max(self.G[:, s].sum() for s in S) <= n:
            return
        self.thin([(p, c) for c in S for p in sorted(ex) if self.G[p, c]], n)
        self.G = self.orient_mid(self.G)
        self.thin([(p, c) for c in S for p in S if self.G[p, c]], n)
        self.G = self.orient_mid(self.G)
        d = self.lowest(S)
        a = [v for v in S if v not in d]
        for part in self.parts(a):
            self.learn(ex, part, n + 1)
        self.learn(a + ex, d, n + 1)

    def thin(self, pairs, n):
        done = set()
        for p, c in pairs:
            around = self.G[:, c] if self.candidates == "parents" else self.G[c] | self.G[:, c]
            around = [v for v in range(self.n) if around[v] and v != p]
            for Z in combinations(around, n):
                if not (self.G[p, c] or self.G[c, p]):
                    break
                if (frozenset((p, c)), Z) in done:
                    continue
                done.add((frozenset((p, c)), Z))
                self.count[n] += 1
                if self.test.ask(p, c, Z).independent:
                    self.sep[p, c] = self.sep[c, p] = Z
                    self.G[p, c] = self.G[c, p] = 0

    def lowest(self, S):
        par = [i for i in S if any(self.G[i, j] and not self.G[j, i] for j in S)]
        found = []
        for k in S:
            seen, todo = {k}, [k]
            while todo:
                v = todo.pop()
                for u in S:
                    if self.G[v, u] and self.G[u, v] and u not in seen:
                        seen.add(u)
                        todo.append(u)
            if not seen & set(par):
                found.append(k)
        return found

    def parts(self, nodes):
        left = list(nodes)
        while left:
            seen, todo = {left[0]}, [left[0]]
            while todo:
                v = todo.pop()
                for u in left:
                    if (self.G[v, u] or self.G[u, v]) and u not in seen:
                        seen.add(u)
                        todo.append(u)
            yield sorted(seen)
            left = [v for v in left if v not in seen]

    def unoriented(self, G):
        G = G.copy()
        for i in range(self.n):
            parents = [x for x in range(self.n) if G[x, i] and not G[i, x]]
            for x, z in combinations(parents, 2):
                if not G[x, z] and not G[z, x] and i in self.sep.get((x, z), ()):
                    G[i, x] = G[i, z] = 1
        return G

    def claims(self, Q):
        for y in range(self.n):
            for x in range(self.n):
                if not (Q[x, y] and Q[y, x]):
                    continue
                for z in range(self.n):
                    apart = z != x and Q[z, y] and not Q[x, z] and not Q[z, x]
                    if apart and y not in self.sep.get((x, z), ()):
                        yield x, y
                        yield z, y

    def orient_mid(self, G):
        if self.orientation == "intended":
            return self.orient_final(G)
        Q = self.unoriented(G)
        F = Q.copy()
        for x, y in self.claims(Q):
            F[x, y], F[y, x] = 1, 0
        return F

    def orient_final(self, G):
        Q = self.unoriented(G)
        F = Q.copy()
        claimed = set(self.claims(Q))
        for x, y in claimed:
            if (y, x) not in claimed:
                F[x, y], F[y, x] = 1, 0
        before = None
        while before is None or not np.array_equal(before, F):
            before = F.copy()
            self.meek(F)
        return F

    def meek(self, F):
        n = range(self.n)

        def directed(a, b):
            return F[a, b] and not F[b, a]

        def undirected(a, b):
            return F[a, b] and F[b, a]

        def apart(a, b):
            return not F[a, b] and not F[b, a]

        for a, b in [(a, b) for b in n for a in n if directed(a, b)]:
            for c in n:
                if c != a and undirected(b, c) and apart(a, c):
                    F[b, c], F[c, b] = 1, 0
        for a, b in [(a, b) for b in n for a in n if undirected(a, b)]:
            if undirected(a, b) and any(directed(a, c) and directed(c, b) for c in n):
                F[a, b], F[b, a] = 1, 0
        for a, b in [(a, b) for b in n for a in n if undirected(a, b)]:
            witnesses = [c for c in n if undirected(a, c) and directed(c, b)]
            two = any(apart(c, d) for c, d in combinations(witnesses, 2))
            if undirected(a, b) and (two if self.rule3 == "correct" else witnesses):
                F[a, b], F[b, a] = 1, 0
