import { neededPrivileges } from "../../compute/proxmox/check-proxmox.ts";
import {
  changedRules,
  ClusterRefusal,
  digestOf,
  refuseStale,
  ruleOf,
  type Rule,
  type Said,
} from "./fake-rules.ts";
import type { DocumentedCall } from "./proxmox-api.ts";

export interface FakeMachine {
  readonly vmid: number;
  node: string;
  status: "running" | "stopped";
  config: Record<string, string | number>;
  rules: Rule[];
  options: Record<string, string | number>;
  pool?: string;
  /** Requests until the cluster's list shows its name. */
  namelessFor: number;
}

export interface FakeNode {
  status: "online" | "offline";
  readonly maxmem: number;
  mem: number;
}

interface Task {
  runsFor: number;
  exitstatus: string;
  readonly end: () => string | undefined;
}

/** Requests for which a new machine has no name in the list, like ten seconds of a real cluster. */
const namelessRequests = 6;

type Handler = (path: Readonly<Record<string, string>>, said: Said) => unknown;

/** A small fake Proxmox VE cluster that answers the documented calls. */
export class FakeCluster {
  readonly machines = new Map<number, FakeMachine>();
  readonly nodes = new Map<string, FakeNode>();
  readonly storages = ["local", "local-zfs"];
  readonly bridges = ["vmbr0"];
  /** Privileges of the token at `/`. */
  privileges: readonly string[] = [...neededPrivileges, "Datastore.Audit"];
  isFirewallOn = true;
  /** Requests that a task takes; infinite for a task that never ends. */
  taskRequests = 2;
  /** Failure of the next clone; undefined for success. */
  nextCloneFailure: string | undefined;
  readonly #tasks = new Map<string, Task>();
  #lastTask = 0;

  constructor() {
    this.nodes.set("pve1", { status: "online", maxmem: 64e9, mem: 40e9 });
    this.nodes.set("pve2", { status: "online", maxmem: 64e9, mem: 10e9 });
    this.addMachine(9_000, "pve1", {
      name: "debian-13",
      template: 1,
      scsi0: "local-zfs:base-9000-disk-0,size=3G",
    });
    this.addMachine(9_001, "pve2", {
      name: "debian-13",
      template: 1,
      scsi0: "local-zfs:base-9001-disk-0,size=3G",
    });
  }

  addMachine(vmid: number, node: string, config: FakeMachine["config"]): FakeMachine {
    const machine: FakeMachine = {
      vmid,
      node,
      status: "stopped",
      config,
      rules: [],
      options: {},
      namelessFor: 0,
    };
    this.machines.set(vmid, machine);
    return machine;
  }

  get clones(): readonly FakeMachine[] {
    return [...this.machines.values()].filter(({ config }) => config.template === undefined);
  }

  /** Answers a call. Time advances per request. @throws ClusterRefusal */
  answer({ name, path }: DocumentedCall, said: Said): unknown {
    this.#goOn();
    const node = this.nodes.get(path.node ?? "");
    if (path.node !== undefined && node?.status !== "online")
      throw new ClusterRefusal(595, "No route to host");
    const handler = this.#handlers[name];
    if (handler === undefined) throw new ClusterRefusal(501, `Method '${name}' not implemented`);
    return handler(path, said);
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    "GET /version": () => ({ version: "9.2.3", release: "9.2", repoid: "fake" }),
    "GET /nodes": () =>
      [...this.nodes].map(([node, { status, maxmem, mem }]) => ({ node, status, maxmem, mem })),
    "GET /cluster/resources": () => [...this.machines.values()].map(listed),
    "GET /cluster/firewall/options": () => ({ enable: this.isFirewallOn ? 1 : 0 }),
    "GET /access/permissions": () => ({
      "/": Object.fromEntries(this.privileges.map((privilege) => [privilege, 1])),
    }),
    "GET /nodes/{node}/storage": () =>
      this.storages.map((storage) => ({ storage, content: "images,rootdir", active: 1 })),
    "GET /nodes/{node}/network": () => this.bridges.map((iface) => ({ iface, type: "bridge" })),
    "GET /nodes/{node}/tasks/{upid}/status": ({ upid = "" }) => this.#taskStatus(decodeURIComponent(upid)),
    "POST /nodes/{node}/qemu/{vmid}/clone": (path, said) => this.#clone(path, said),
    "GET /nodes/{node}/qemu/{vmid}/config": (path) => ({ ...this.#at(path).config, digest: "0" }),
    "PUT /nodes/{node}/qemu/{vmid}/config": (path, said) => {
      const { config } = this.#unlocked(path);
      for (const [name, value] of said) config[name] = value;
      return null;
    },
    "PUT /nodes/{node}/qemu/{vmid}/resize": (path, said) => this.#resize(path, said),
    "GET /nodes/{node}/qemu/{vmid}/status/current": (path) => ({
      status: this.#at(path).status,
      vmid: path.vmid,
    }),
    "POST /nodes/{node}/qemu/{vmid}/status/start": (path) => this.#power(path, "running"),
    "POST /nodes/{node}/qemu/{vmid}/status/stop": (path) => this.#power(path, "stopped"),
    "POST /nodes/{node}/qemu/{vmid}/status/shutdown": (path) => this.#power(path, "stopped"),
    "DELETE /nodes/{node}/qemu/{vmid}": (path) => {
      const machine = this.#unlocked(path);
      if (machine.status === "running")
        throw new ClusterRefusal(500, `VM ${String(machine.vmid)} is running - destroy failed`);
      return this.#begin("qmdestroy", machine, () => {
        this.machines.delete(machine.vmid);
        return undefined;
      });
    },
    "GET /nodes/{node}/qemu/{vmid}/firewall/rules": (path) => {
      const { rules } = this.#at(path);
      return rules.map((rule, pos) => ({ ...rule, pos, digest: digestOf(rules) }));
    },
    "POST /nodes/{node}/qemu/{vmid}/firewall/rules": (path, said) =>
      this.#changeRules(path, said, (rules) => [{ enable: 0, ...ruleOf(said) }, ...rules]),
    "PUT /nodes/{node}/qemu/{vmid}/firewall/rules/{pos}": (path, said) =>
      this.#changeRules(path, said, (rules) => changedRules(rules, Number(path.pos), said)),
    "DELETE /nodes/{node}/qemu/{vmid}/firewall/rules/{pos}": (path, said) =>
      this.#changeRules(path, said, (rules) => rules.filter((_, pos) => pos !== Number(path.pos))),
    "GET /nodes/{node}/qemu/{vmid}/firewall/options": (path) => {
      const { options } = this.#at(path);
      return { ...options, digest: digestOf(options) };
    },
    "PUT /nodes/{node}/qemu/{vmid}/firewall/options": (path, said) => {
      const machine = this.#at(path);
      refuseStale(said, machine.options);
      machine.options.enable = Number(said.get("enable"));
      return null;
    },
  };

  #goOn(): void {
    for (const machine of this.machines.values()) machine.namelessFor -= 1;
    for (const [upid, task] of this.#tasks) {
      task.runsFor -= 1;
      if (task.runsFor === 0) this.#tasks.set(upid, { ...task, exitstatus: task.end() ?? "OK" });
    }
  }

  #taskStatus(upid: string): unknown {
    const task = this.#tasks.get(upid);
    if (task === undefined) throw new ClusterRefusal(500, "no such task");
    return task.runsFor > 0
      ? { upid, status: "running" }
      : { upid, status: "stopped", exitstatus: task.exitstatus };
  }

  #begin(type: string, { node, vmid }: FakeMachine, end: () => string | undefined): string {
    this.#lastTask += 1;
    const upid = `UPID:${node}:${String(this.#lastTask).padStart(8, "0")}:0:0:${type}:${String(vmid)}:api@pve!t:`;
    this.#tasks.set(upid, { runsFor: this.taskRequests, exitstatus: "", end });
    return upid;
  }

  #clone(path: Readonly<Record<string, string>>, said: Said): string {
    const template = this.#at(path);
    const newid = Number(said.get("newid"));
    if (this.machines.has(newid))
      throw new ClusterRefusal(500, `unable to create VM ${String(newid)}: config file already exists`);
    const machine = this.addMachine(newid, template.node, { lock: "clone" });
    machine.namelessFor = namelessRequests;
    const failure = this.nextCloneFailure;
    this.nextCloneFailure = undefined;
    return this.#begin("qmclone", template, () => {
      if (failure !== undefined) {
        this.machines.delete(newid);
        return `clone failed: ${failure}`;
      }
      const { template: _, ...copied } = template.config;
      const name = said.get("name") ?? `Copy-of-VM-${String(template.vmid)}`;
      machine.config = {
        ...copied,
        name,
        description: said.get("description") ?? "",
        net0: "virtio=BC:24:11:00:00:01,bridge=vmbr9",
      };
      machine.rules = structuredClone(template.rules);
      machine.node = said.get("target") ?? template.node;
      machine.pool = said.get("pool") ?? "";
      return undefined;
    });
  }

  #resize(path: Readonly<Record<string, string>>, said: Said): string {
    const machine = this.#unlocked(path);
    const disk = said.get("disk") ?? "";
    const drive = String(machine.config[disk] ?? "");
    if (drive === "") throw new ClusterRefusal(500, `disk '${disk}' does not exist`);
    const present = Number(/size=(\d+)G/.exec(drive)?.[1] ?? 0);
    if (Number.parseInt(said.get("size") ?? "", 10) < present)
      throw new ClusterRefusal(400, "Parameter verification failed. shrinking disks is not supported");
    return this.#begin("resize", machine, () => {
      machine.config[disk] = drive.replace(/size=\w+/, `size=${said.get("size") ?? ""}`);
      return undefined;
    });
  }

  #power(path: Readonly<Record<string, string>>, status: FakeMachine["status"]): string {
    const machine = this.#unlocked(path);
    if (machine.status === status && status === "running")
      throw new ClusterRefusal(500, `VM ${String(machine.vmid)} already running`);
    return this.#begin(status === "running" ? "qmstart" : "qmstop", machine, () => {
      machine.status = status;
      return undefined;
    });
  }

  #changeRules(path: Readonly<Record<string, string>>, said: Said, change: (rules: Rule[]) => Rule[]): null {
    const machine = this.#at(path);
    refuseStale(said, machine.rules);
    machine.rules = change(machine.rules);
    return null;
  }

  #at({ node = "", vmid = "" }: Readonly<Record<string, string>>): FakeMachine {
    const machine = this.machines.get(Number(vmid));
    if (machine?.node === node) return machine;
    throw new ClusterRefusal(
      500,
      `Configuration file 'nodes/${node}/qemu-server/${vmid}.conf' does not exist`,
    );
  }

  #unlocked(path: Readonly<Record<string, string>>): FakeMachine {
    const machine = this.#at(path);
    const { lock } = machine.config;
    if (lock !== undefined) throw new ClusterRefusal(500, `VM is locked (${String(lock)})`);
    return machine;
  }
}

function listed({ vmid, node, status, config, namelessFor }: FakeMachine): Rule {
  const { name = "", template = 0 } = config;
  return {
    id: `qemu/${String(vmid)}`,
    type: "qemu",
    vmid,
    node,
    status,
    template,
    ...(namelessFor > 0 ? {} : { name }),
  };
}
