/** Whether two addresses of the web are the same, whatever the case of the host, a port that is said or not, and slashes at the end. */
export function isSameAddress(left: string, right: string): boolean {
  return addressForm(left) === addressForm(right);
}

function addressForm(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : url;
}
