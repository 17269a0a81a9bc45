/** One process of the operator, such as `controller`, and its version. */
export interface ProcessVersion {
  process: string;
  version: string;
}

/** The operator's version beside the plugin's. */
export interface VersionComparison {
  /** One version, or each process with its own. */
  server: string;
  /** `Mixed`: the operator's processes have several versions. */
  comparison: "Same" | "Different" | "Mixed";
  /** What to do about it; undefined where the versions are the same. */
  message: string | undefined;
}

/** Compares the plugin's version with those of the operator's processes, of which there is at least one. */
export function compareVersions(client: string, processes: readonly ProcessVersion[]): VersionComparison {
  const versions = [...new Set(processes.map(({ version }) => version))];
  if (versions.length > 1) {
    return {
      server: processes.map(({ process, version }) => `${version} (${process})`).join(", "),
      comparison: "Mixed",
      message: "The operator's processes have several versions: an upgrade is not finished.",
    };
  }
  const [server = ""] = versions;
  if (server === client) return { server, comparison: "Same", message: undefined };
  const message = `The versions differ: commands may not fit this cluster. Install the plugin of release ${server}.`;
  return { server, comparison: "Different", message };
}
