import { Repository } from "../../../src/api/v1alpha1/index.ts";
import { repositoryName } from "./tenant-objects.ts";
import { kubectl } from "./workbench.ts";
import type { Stage, Tenant } from "./tenant.ts";

/** Has the tenant's sandboxes clone a branch of their own: the sample with these files, by their paths. Later calls add commits. */
export async function useBranch(
  stage: Stage,
  tenant: Pick<Tenant, "namespace">,
  files: Record<string, string>,
): Promise<void> {
  const { bench, git } = stage;
  const script = `
    set -e
    copy=$(mktemp -d)
    git clone --quiet --branch "$1" /data/repositories/checkout.git "$copy" 2>/dev/null ||
      git clone --quiet /data/repositories/checkout.git "$copy"
    cd "$copy"
    node -e '
      const files = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
      for (const [path, text] of Object.entries(files)) require("node:fs").writeFileSync(path, text);
    '
    git add --all
    git -c user.name=Shop -c user.email=shop@example.com commit --quiet --message="Change hooks"
    git push --quiet origin "HEAD:refs/heads/$1"
    rm -rf "$copy"`;
  const branch = tenant.namespace;
  const execute = ["-n", git.namespace, "exec", "-i", "deployment/git", "--", "sh", "-c", script, "sh", branch];
  await kubectl(bench, execute, JSON.stringify(files));
  await bench.client.patch(Repository, { namespace: tenant.namespace, name: repositoryName }, { spec: { branch } });
}
