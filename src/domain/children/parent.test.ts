import { describe, expect, it } from "vitest";

import type { KubeObject, OwnerReference } from "../../lib/resource.ts";
import { depthOf, rootOf } from "./parent.ts";

/** A session named by its UID, `<namespace>/<name>`, below another one. */
function session(uid: string, parent?: string): KubeObject {
  const [namespace = "", name = ""] = uid.split("/");
  const above: OwnerReference = { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "p", uid: parent ?? "" };
  return { metadata: { namespace, name, uid, ownerReferences: parent === undefined ? [] : [above] } };
}

const all = [
  session("shop/root"),
  session("shop/child", "shop/root"),
  session("shop/grandchild", "shop/child"),
  session("shop/orphan", "shop/gone"),
  session("evil/forged", "shop/child"),
  session("evil/below", "evil/forged"),
];
const find = ({ uid }: Pick<OwnerReference, "uid">): KubeObject | undefined =>
  all.find(({ metadata }) => metadata.uid === uid);

describe("the root of", () => {
  it.each([
    { uid: "shop/root", root: "shop/root", depth: 0 },
    { uid: "shop/child", root: "shop/root", depth: 1 },
    { uid: "shop/grandchild", root: "shop/root", depth: 2 },
    { uid: "shop/orphan", root: "shop/orphan", depth: 1 },
    { uid: "evil/forged", root: "evil/forged", depth: 1 },
    { uid: "evil/below", root: "evil/forged", depth: 2 },
  ])("$uid is $root, and $depth are above it", ({ uid, root, depth }) => {
    const found = find({ uid })!;
    expect(rootOf(found, find).metadata.uid).toBe(root);
    expect(depthOf(found, find)).toBe(depth);
  });
});

it("of sessions that name each other the depth has an end", () => {
  const circle = [session("shop/a", "shop/b"), session("shop/b", "shop/a")];
  const among = ({ uid }: OwnerReference) => circle.find(({ metadata }) => metadata.uid === uid);
  expect(depthOf(circle[0]!, among)).toBe(3);
  expect(["shop/a", "shop/b"]).toContain(rootOf(circle[0]!, among).metadata.uid);
});
