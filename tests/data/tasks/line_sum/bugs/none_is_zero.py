def line_sum(rows): return {n: sum(x or 0 for m, x in rows if m == n) for n, _ in rows}
