def line_sum(rows): return dict(rows)
