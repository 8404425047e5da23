/** Names of the graphs of a compile: `0/0/forward#1` is the forward graph of DDP's second bucket. */

/** `0/0/forward#1` gives `forward#1`. */
export const directionOf = (graph: string): string => graph.slice(graph.lastIndexOf('/') + 1);

/** DDP's second bucket is `1`, the body of a higher-order operator has a name: `true_graph_0`. */
export const partLabel = (part: string): string => (/^\d+$/.test(part) ? String(Number(part) + 1) : part);

/** `forward#1` gives `forward 2`. */
export const directionName = (direction: string): string => {
  const [name, ...part] = direction.split('#');
  return part.length === 0 ? name : `${name} ${partLabel(part[0])}`;
};
