/**
 * Loaded into an exporter before its own program: at each SIGUSR2 a minute passes at once, by both clocks. What is due
 * after so many minutes is then due after so many scrapes, and nobody has to wait for it.
 */
const minuteMs = 60_000;
const [wall, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
let skippedMs = Number(process.env['BENCH_SKIPPED_MS'] ?? 0);

Date.now = () => wall() + skippedMs;
performance.now = () => monotonic() + skippedMs;
process.on('SIGUSR2', () => (skippedMs += minuteMs));
