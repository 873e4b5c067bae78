/** The same numbers with room for so many, and then some: at the least twice as much as before. */
export function grown(numbers: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= numbers.length) return numbers;
  const larger = new Int32Array(Math.max(2 * numbers.length, length));
  larger.set(numbers);
  return larger;
}
