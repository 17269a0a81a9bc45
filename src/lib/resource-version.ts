const decimal = /^[1-9][0-9]*$/;

/**
 * Whether one resource version is later than another of the same resource. The API server promises that they are
 * decimal numbers that grow; where they are not, anything different counts as later.
 */
export function isNewer(version: string | undefined, than: string | undefined): boolean {
  if (version === than) return false;
  if (version === undefined || than === undefined) return than === undefined;
  if (!decimal.test(version) || !decimal.test(than)) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}
