def line_sum(rows): return {n: sum(x for m, x in rows if m == n) for n, _ in rows} or None
