import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { makeServiceKeys } from "@hostledger/host";
import { parse } from "yaml";
import { z } from "zod";

/** `deploy/compose.yaml`, read as Docker would, as far as the specs need it. */

/** The folder with all that a deployment needs. */
export const deployFolder = join(import.meta.dirname, "../../deploy");

/** A secret under its own name, or under that of the setting that it is for. */
const secretSchema = z.union([
  z.string().transform((name) => ({ source: name, target: name })),
  z.object({ source: z.string(), target: z.string() }),
]);

const serviceSchema = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  command: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  user: z.string().optional(),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  restart: z.string().optional(),
  init: z.boolean().default(false),
  ports: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  secrets: z.array(secretSchema).default([]),
  env_file: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  networks: z
    .union([z.array(z.string()), z.record(z.string(), z.unknown()).transform(Object.keys)])
    .default([]),
  network_mode: z.string().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  deploy: z.object({ resources: z.object({ limits: z.object({ memory: z.string() }) }) }).optional(),
});

/** A container of the deployment. */
export type Container = z.output<typeof serviceSchema>;

const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  volumes: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

/** The file as YAML says it, with its anchors and merges resolved. */
export function readComposeFile(): unknown {
  return parse(readFileSync(join(deployFolder, "compose.yaml"), "utf8"), { merge: true, uniqueKeys: true });
}

/** The deployment. @throws z.ZodError where the file has another shape than the specs expect. */
export function readDeployment() {
  return composeSchema.parse(readComposeFile());
}

/** The containers that go on running Hostledger itself, of both forms. */
export function ownContainers(): readonly (readonly [name: string, container: Container])[] {
  return Object.entries(readDeployment().services).filter(
    ([, { image, command }]) =>
      image.startsWith("hostledger:") && /^(?:service|start)$/.test(command[0] ?? ""),
  );
}

/** The forms of a deployment, as Compose's profiles. */
export const forms = ["replicas", "apart"] as const;

/** Returns the containers of a form: its own, and those of every form. */
export function containersOf(form: (typeof forms)[number]): Readonly<Record<string, Container>> {
  return Object.fromEntries(
    Object.entries(readDeployment().services).filter(
      ([, { profiles }]) => profiles.length === 0 || profiles.includes(form),
    ),
  );
}

/** Replaces Compose's `${NAME:-default}` by the default. */
export function withDefaults(text: string): string {
  return text.replace(/\$\{[A-Z_]+:-([^}]*)\}/g, "$1");
}

/** Makes the secrets as an operator would, README.md's four lines. @returns every file's text by its name. */
export function makeSecrets(directory: string): ReadonlyMap<string, string> {
  execFileSync("/bin/sh", [join(deployFolder, "make-secrets.sh"), directory]);
  const keys = join(directory, "service-keys");
  makeServiceKeys(keys);
  for (const name of readdirSync(keys)) chmodSync(join(keys, name), 0o444);
  const names = [
    ...readdirSync(directory).filter((name) => name !== "service-keys"),
    ...readdirSync(keys).map((name) => `service-keys/${name}`),
  ];
  return new Map(names.map((name) => [name, readFileSync(join(directory, name), "utf8").trimEnd()]));
}

/** The settings that a container of ours starts with, its secrets among them. */
export function environmentOf(
  { environment, secrets }: Container,
  secretTexts: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const own = Object.entries(environment).map(([name, value]): [string, string] => [
    name,
    withDefaults(value),
  ]);
  // The entrypoint makes settings of those that are named like one.
  const named = secrets.filter(({ target }) => target.startsWith("HOSTLEDGER_"));
  const secret = named.map(({ source, target }): [string, string] => [target, secretTexts.get(source) ?? ""]);
  return { ...imageEnvironment(), ...Object.fromEntries([...own, ...secret]) };
}

/** Returns the environment of the image, from the Dockerfile's last stage. */
export function imageEnvironment(): Readonly<Record<string, string>> {
  const text = readFileSync(join(deployFolder, "Dockerfile"), "utf8");
  return Object.fromEntries(
    [...text.matchAll(/\b(HOSTLEDGER_[A-Z_]+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}
