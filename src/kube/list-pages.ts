import { apiVersionOf, type KubeObject, type Resource } from "../lib/resource.ts";
import { apiPath } from "./api-path.ts";
import type { Caller } from "./caller.ts";
import type { List, ListOptions, ListShape } from "./client-options.ts";
import { isGone } from "./errors.ts";

/** Small enough that a page of objects with the largest annotations, 256 KiB, takes tens of megabytes. */
const pageSize = 100;
const metadataOnlyType = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

interface Page<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[];
}

/** Times that a list is begun; a page takes seconds, and the server keeps a moment for minutes. */
const mostTries = 3;

type PagesOptions<T> = ListOptions & ListShape<T> & { timeoutMs: number };

/**
 * Reads a collection page by page, all as of the first page's moment. When that moment is compacted away in the middle
 * (410), it begins again; the third time the 410 is thrown. Of a page's items only what `transform` makes of them is
 * held while the next page is read.
 */
export async function listPages<T extends KubeObject>(
  caller: Caller,
  resource: Resource<T>,
  options: PagesOptions<T>,
): Promise<List<T>> {
  for (let tries = 1; ; tries += 1) {
    const items: T[] = [];
    let token: string | undefined;
    try {
      let page: Page<T>;
      do {
        page = await readPage(caller, resource, { limit: pageSize, ...options, token });
        keepItems(items, page, resource, options);
        // The last page's token is empty or missing.
        token = page.metadata.continue;
      } while (token);
      return { items, resourceVersion: page.metadata.resourceVersion };
    } catch (error) {
      if (token === undefined || !isGone(error) || tries === mostTries) throw error;
    }
  }
}

async function readPage<T extends KubeObject>(
  caller: Caller,
  resource: Resource<T>,
  options: ListOptions & { timeoutMs: number; token: string | undefined },
): Promise<Page<T>> {
  const { namespace, labelSelector, fieldSelector, limit, token, metadataOnly, signal, timeoutMs } = options;
  const resourceVersion = token === undefined ? options.resourceVersion : undefined;
  const query = { labelSelector, fieldSelector, limit, resourceVersion, continue: token };
  const path = apiPath(resource, { namespace }, query);
  const call = { verb: "list" as const, resource, target: namespace ?? "" };
  const headers = metadataOnly ? { accept: metadataOnlyType } : undefined;
  const answer = await caller.read(call, { method: "GET", path, headers }, { signal, timeoutMs });
  // An empty list of metadata alone comes as null.
  const page = answer as Omit<Page<T>, "items"> & { items: T[] | null };
  return { ...page, items: page.items ?? [] };
}

/** Adds the reduced items of a page, with their kind, which items of a list lack. */
function keepItems<T extends KubeObject>(
  items: T[],
  page: Page<T>,
  resource: Resource<T>,
  { transform = (item) => item }: ListShape<T>,
): void {
  const apiVersion = apiVersionOf(resource);
  for (const item of page.items) {
    item.apiVersion = apiVersion;
    item.kind = resource.kind;
    items.push(transform(item));
  }
}
