export * from "./frames.ts";
export * from "./namespaces.ts";
export * from "./xml.ts";
