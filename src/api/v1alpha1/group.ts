export const group = "runwright.dev";
export const version = "v1alpha1";
export const apiVersion = `${group}/${version}`;
