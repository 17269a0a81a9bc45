import { expect, it, vi } from "vitest";
import { SkillSpec } from "../../../api/v1alpha1/skill.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { findConfigMaps } from "./find-config-maps.ts";

const specOf = (names: readonly string[]): SkillSpec => {
  const files = names.map((name, index) => ({ path: `f${String(index)}`, configMapKeyRef: { name, key: "k" } }));
  return SkillSpec.parse({ description: "d", files });
};

function aClient(
  answer: (name: string) => Promise<object | undefined>,
): Pick<KubeClient, "find"> & { asked: string[] } {
  const asked: string[] = [];
  const find = vi.fn((_: unknown, { namespace = "", name }: { namespace?: string; name: string }) => {
    asked.push(`${namespace}/${name}`);
    return answer(name);
  });
  return { find: find as unknown as KubeClient["find"], asked };
}

it("reads each ConfigMap of the namespace once, and leaves out those that are missing", async () => {
  const client = aClient((name) => Promise.resolve(name === "b" ? undefined : { data: { k: name } }));
  const found = await findConfigMaps(client, "shop", specOf(["a", "b", "a", "c"]));
  expect(client.asked).toEqual(["shop/a", "shop/b", "shop/c"]);
  expect([...found.keys()]).toEqual(["a", "c"]);
});

it("rejects where one cannot be read, as it may be there", async () => {
  const client = aClient((name) => (name === "b" ? Promise.reject(new Error("cut off")) : Promise.resolve({})));
  await expect(findConfigMaps(client, "shop", specOf(["a", "b"]))).rejects.toThrow("cut off");
});

it.each([
  [10, 10],
  [11, 0],
])("of a Skill with %i ConfigMaps it reads %i", async (count, reads) => {
  const client = aClient(() => Promise.resolve({}));
  await findConfigMaps(client, "shop", specOf(Array.from({ length: count }, (_, index) => `c${String(index)}`)));
  expect(client.asked).toHaveLength(reads);
});
