/** Runs `ctr` on a node. */
type Ctr = (...args: string[]) => Promise<string>;

/** SIGKILL to the main process of each container of that name, by containerd itself: it needs no API server. */
export async function killContainers(
  ctr: Ctr,
  { namespace, name }: { namespace: string; name: string },
): Promise<void> {
  const labels = { "io.kubernetes.container.name": name, "io.kubernetes.pod.namespace": namespace };
  const filter = Object.entries(labels).map(([label, value]) => `labels."${label}"==${value}`);
  const found = await ctr("--namespace", "k8s.io", "containers", "list", "--quiet", filter.join(","));
  const running = await ctr("--namespace", "k8s.io", "tasks", "list", "--quiet");
  const alive = new Set(running.split("\n"));
  for (const id of found.split("\n").filter((line) => line !== "" && alive.has(line)))
    await ctr("--namespace", "k8s.io", "tasks", "kill", "--signal", "SIGKILL", id);
}
