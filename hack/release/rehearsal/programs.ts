import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the programs are that the stand-ins start, and what they put where. */
export interface Programs {
  cosign: string;
  helm: string;
  skopeo: string;
  /** Path of the private key. */
  key: string;
  /** Folder that gets the release's files. */
  published: string;
}

/** Scripts that take the places of programs in the workflow's steps, by the programs' names. */
export function standInPrograms({ cosign, helm, skopeo, key, published }: Programs): Record<string, string> {
  return {
    // Signs by a key of this rehearsal: there is no identity provider and no transparency log.
    cosign: `case "$1" in
sign | sign-blob) command=$1; shift; exec ${cosign} "$command" --key ${key} --use-signing-config=false --tlog-upload=false "$@" ;;
*) exec ${cosign} "$@" ;;
esac`,
    // The registry on loopback has no TLS.
    helm: `case "$1" in push) exec ${helm} "$@" --plain-http ;; *) exec ${helm} "$@" ;; esac`,
    docker: `[ "$1 $2 $3 $4" = "buildx imagetools inspect --raw" ] || { echo "no stand-in for docker $*" >&2; exit 1; }
exec ${skopeo} inspect --raw --tls-verify=false "docker://$5"`,
    gh: `[ "$1 $2 $4 $5" = "release create --verify-tag --generate-notes" ] || { echo "no stand-in for gh $*" >&2; exit 1; }
git ls-remote --exit-code --tags origin "refs/tags/$3" || { echo "there is no tag $3" >&2; exit 1; }
shift 5
exec cp "$@" ${published}`,
  };
}

/** Writes the stand-ins into a folder for PATH. */
export async function writePrograms(folder: string, programs: Programs): Promise<void> {
  await mkdir(folder);
  for (const [name, text] of Object.entries(standInPrograms(programs))) {
    await writeFile(join(folder, name), `#!/bin/bash\nset -e\n${text}\n`, { mode: 0o755 });
  }
}
