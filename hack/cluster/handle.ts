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
  /** Programs of the node that can be killed here. */
  programs: readonly NodeProgram[];
  /** SIGKILL to a program of the node; containers go on. */
  kill(program: NodeProgram): Promise<void>;
  /** Starts the program that was killed, as it was. */
  start(program: NodeProgram): Promise<void>;
  /** SIGKILL to the main process of each container of that name in a namespace; the kubelet starts them again. */
  killContainers(container: { namespace: string; name: string }): Promise<void>;
}

/** What a node and its control plane are made of. */
export type NodeProgram = "etcd" | "apiserver" | "containerd" | "kubelet";
