/** What waits until it is passed goes on when the test opens the gate. */
export function createGate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
