import { startBilledCloud } from './billed-cloud.ts';

/** Each is answered with one message. */
export type Question = { readonly ask: 'minute'; readonly oneIn: number } | { readonly ask: 'bill' };

let skippedMs = 0;
const { authUrl, change, takeBill } = await startBilledCloud(
  Number(process.argv[2]),
  () => Date.now() + skippedMs,
);

process.on('message', (question: Question) => {
  if (question.ask === 'bill') return process.send!(takeBill());
  skippedMs += 60_000;
  if (question.oneIn > 0) change(question.oneIn);
  return process.send!('passed');
});
process.on('disconnect', () => process.exit());
process.send!(authUrl);
