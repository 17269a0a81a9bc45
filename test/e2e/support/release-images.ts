/** One image reference, as the chart takes it. */
interface ImageReference {
  repository: string;
  tag: string;
}

/** Which images the release runs with. */
export interface ReleaseImages {
  operator: ImageReference;
  sandbox: ImageReference;
}
