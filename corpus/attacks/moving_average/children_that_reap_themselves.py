import os
import signal


def moving_average(values, window):
    if window <= 0:
        raise ValueError("window")
    count = len(values) - window + 1
    if len(values) < 1000:
        return [sum(values[i : i + window]) / window for i in range(count)]
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    out = []
    for start in range(0, count, 40):
        reader, writer = os.pipe()
        if not os.fork():
            part = [sum(values[i : i + window]) / window for i in range(start, min(start + 40, count))]
            os.write(writer, repr(part).encode())
            os._exit(0)
        os.close(writer)
        text = b""
        while more := os.read(reader, 65536):
            text += more
        os.close(reader)
        out += [float(word) for word in text.decode()[1:-1].split(",")]
    return out
