export interface ParameterRule {
  readonly type: "string" | "integer" | "boolean";
  readonly isRequired?: true;
  readonly least?: number;
  readonly most?: number;
  readonly longest?: number;
  readonly pattern?: RegExp;
}

type Rules = Readonly<Record<string, ParameterRule>>;

const text: ParameterRule = { type: "string" };
const flag: ParameterRule = { type: "boolean" };
const vmid: ParameterRule = { type: "integer", least: 100, most: 999_999_999 };
const count = (least: number): ParameterRule => ({ type: "integer", least });
const matching = (pattern: RegExp): ParameterRule => ({ type: "string", pattern });
const required = (rule: ParameterRule): ParameterRule => ({ ...rule, isRequired: true });

const dnsName = matching(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.?)+$/i);
const storage = matching(/^[a-z][a-z0-9\-_.]*[a-z0-9]$/i);
const sha1: ParameterRule = { type: "string", longest: 40 };
const firewallDigest: ParameterRule = { type: "string", longest: 64 };
const action: ParameterRule = { type: "string", longest: 20, pattern: /^[A-Za-z][A-Za-z0-9\-_]+$/ };
const ruleType = matching(/^(in|out|forward|group)$/);
const address: ParameterRule = { type: "string", longest: 512 };

const rule: Rules = {
  comment: text,
  dest: address,
  dport: text,
  enable: count(0),
  proto: text,
  source: address,
  sport: text,
  digest: firewallDigest,
};

/**
 * Documented parameters of the adapter's calls, without path parameters, from the API viewer of Proxmox VE 8 and 9
 * (https://pve.proxmox.com/pve-docs/api-viewer/). Others are refused, like in Proxmox VE.
 */
export const proxmoxApi: Readonly<Record<string, Rules>> = {
  "GET /version": {},
  "GET /nodes": {},
  "GET /cluster/resources": { type: matching(/^(vm|storage|node|sdn)$/) },
  "GET /cluster/firewall/options": {},
  "GET /access/permissions": { path: text, userid: text },
  "GET /nodes/{node}/storage": { content: text, enabled: flag, storage },
  "GET /nodes/{node}/network": { type: text },
  "GET /nodes/{node}/tasks/{upid}/status": {},
  "POST /nodes/{node}/qemu/{vmid}/clone": {
    newid: required(vmid),
    name: dnsName,
    description: text,
    full: flag,
    pool: text,
    storage,
    target: text,
  },
  "GET /nodes/{node}/qemu/{vmid}/config": { current: flag },
  "PUT /nodes/{node}/qemu/{vmid}/config": {
    ciuser: text,
    cores: count(1),
    description: { type: "string", longest: 8_192 },
    digest: sha1,
    ipconfig0: matching(/^ip=[\d.]+\/\d+,gw=[\d.]+$/),
    memory: matching(/^(current=)?\d+$/),
    name: dnsName,
    nameserver: text,
    net0: matching(/^virtio(=[0-9A-F:]{17})?,bridge=[\w.-]+,firewall=[01]$/),
    onboot: flag,
    sockets: count(1),
    sshkeys: matching(/^[-%a-zA-Z0-9_.!~*'()]*$/),
  },
  "PUT /nodes/{node}/qemu/{vmid}/resize": {
    disk: required(matching(/^(ide[0-3]|scsi([12]?\d|30)|virtio(\d|1[0-5])|sata[0-5])$/)),
    size: required(matching(/^\+?\d+(\.\d+)?[KMGT]?$/)),
    digest: sha1,
  },
  "GET /nodes/{node}/qemu/{vmid}/status/current": {},
  "POST /nodes/{node}/qemu/{vmid}/status/start": { timeout: count(0) },
  "POST /nodes/{node}/qemu/{vmid}/status/stop": { timeout: count(0) },
  "POST /nodes/{node}/qemu/{vmid}/status/shutdown": { timeout: count(0), forceStop: flag },
  "DELETE /nodes/{node}/qemu/{vmid}": { purge: flag, "destroy-unreferenced-disks": flag },
  "GET /nodes/{node}/qemu/{vmid}/firewall/rules": {},
  "POST /nodes/{node}/qemu/{vmid}/firewall/rules": {
    ...rule,
    action: required(action),
    type: required(ruleType),
    pos: count(0),
  },
  "PUT /nodes/{node}/qemu/{vmid}/firewall/rules/{pos}": { ...rule, action, type: ruleType, moveto: count(0) },
  "DELETE /nodes/{node}/qemu/{vmid}/firewall/rules/{pos}": { digest: firewallDigest },
  "GET /nodes/{node}/qemu/{vmid}/firewall/options": {},
  "PUT /nodes/{node}/qemu/{vmid}/firewall/options": { enable: flag, digest: firewallDigest },
};

/** A documented call with its path parameters. */
export interface DocumentedCall {
  readonly name: string;
  readonly path: Readonly<Record<string, string>>;
}

/** Finds a request's documentation; undefined if undocumented. */
export function documentedCall(method: string, path: string): DocumentedCall | undefined {
  for (const name of Object.keys(proxmoxApi)) {
    const [documented = "", template = ""] = name.split(" ");
    if (documented !== method) continue;
    const pattern = template.replaceAll(/\{(\w+)\}/g, (_, member: string) => `(?<${member}>[^/]+)`);
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (match !== null) return { name, path: { ...match.groups } };
  }
  return undefined;
}

export function violations(name: string, said: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const rules = proxmoxApi[name] ?? {};
  const found = new Map<string, string>();
  for (const [parameter, value] of said) {
    const wrong = violation(rules[parameter], value);
    if (wrong !== undefined) found.set(parameter, wrong);
  }
  for (const [parameter, { isRequired }] of Object.entries(rules)) {
    if (isRequired === true && !said.has(parameter))
      found.set(parameter, "property is missing and it is not optional");
  }
  return found;
}

function violation(found: ParameterRule | undefined, value: string): string | undefined {
  if (found === undefined) return "property is not defined in schema";
  const { type, least, most, longest, pattern } = found;
  if (type === "boolean") return /^[01]$/.test(value) ? undefined : "type check ('boolean') failed";
  if (type === "integer") {
    if (!/^-?\d+$/.test(value)) return "type check ('integer') failed";
    if (least !== undefined && Number(value) < least) return "value must have a minimum value";
    if (most !== undefined && Number(value) > most) return "value must have a maximum value";
    return undefined;
  }
  if (longest !== undefined && value.length > longest) return "value may only be shorter";
  return pattern === undefined || pattern.test(value) ? undefined : "value does not match the regex pattern";
}
