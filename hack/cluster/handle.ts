/** A cluster that this machine runs for us. */
export interface LocalCluster {
  kind: "kind" | "native";
  /** Whether it was brought up just now; one that another process brought up is not ours to take down. */
  isNew: boolean;
  /** Path of a kubeconfig file with admin rights whose current context is the cluster. */
  kubeconfig: string;
  /** Path of kubectl. */
  kubectl: string;
  /** Whether the node has an image of exactly that name. */
  hasImage(name: string): Promise<boolean>;
  /** Makes the image of a docker-archive tar known to the node. */
  load(archive: string): Promise<void>;
  /** Kills the node's kubelet; containers go on. */
  killKubelet(): Promise<void>;
  /** Starts the kubelet that was killed, as it was. */
  startKubelet(): Promise<void>;
}
