/** Of Grafana's variables in texts, the one that our boards use: a label of the field that is drawn. */
export function interpolate(text, scopedVars) {
  const labels = scopedVars?.['__dataContext']?.value.field.labels ?? {};
  return text.replaceAll(/\$\{__field\.labels\.(\w+)\}/g, (_, label) => labels[label] ?? '');
}
