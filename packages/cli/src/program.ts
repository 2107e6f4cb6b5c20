import { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import type { CommandContext } from "./command-context.ts";

type AddCommands = (program: Command, context: CommandContext) => void;

interface CommandFile {
  /** First words of the file's command lines. */
  readonly words: readonly string[];
  readonly load: () => Promise<AddCommands>;
}

/** Imports command files on demand, because each needs a part of hundreds of modules. */
const commandFiles: readonly CommandFile[] = [
  { words: ["start"], load: async () => (await import("./commands/start.command.ts")).addStartCommand },
  { words: ["service"], load: async () => (await import("./commands/service.command.ts")).addServiceCommand },
  {
    words: ["service-keys"],
    load: async () => (await import("./commands/service-keys.command.ts")).addServiceKeysCommand,
  },
  {
    words: ["certificates"],
    load: async () => (await import("./commands/certificates.command.ts")).addCertificatesCommand,
  },
  { words: ["node"], load: async () => (await import("./commands/node.command.ts")).addNodeCommand },
  { words: ["admin"], load: async () => (await import("./commands/admin.command.ts")).addAdminCommands },
  {
    words: ["audit"],
    load: async () => (await import("./commands/audit/audit.command.ts")).addAuditCommands,
  },
  { words: ["bank"], load: async () => (await import("./commands/bank.command.ts")).addBankCommands },
  {
    words: ["verify-document"],
    load: async () => (await import("./commands/verify-document.command.ts")).addVerifyDocumentCommand,
  },
  {
    words: ["projections"],
    load: async () => (await import("./commands/projections.command.ts")).addProjectionsCommands,
  },
  {
    words: ["reconcile"],
    load: async () => (await import("./commands/reconcile.command.ts")).addReconcileCommand,
  },
  { words: ["store"], load: async () => (await import("./commands/store.command.ts")).addStoreCommands },
  {
    words: ["backup", "restore"],
    load: async () => (await import("./commands/backup.commands.ts")).addBackupCommands,
  },
  { words: ["check"], load: async () => (await import("./commands/check.command.ts")).addCheckCommands },
  {
    words: ["sandbox"],
    load: async () => (await import("./commands/sandbox.command.ts")).addSandboxEppCommand,
  },
  { words: ["config"], load: async () => (await import("./commands/config.command.ts")).addConfigCommand },
];

/** Imports the commands with this first word, or all if no file has the word. */
async function loadCommands(first: string | undefined): Promise<readonly AddCommands[]> {
  if (first === "--version") return [];
  const named = commandFiles.filter(({ words }) => first !== undefined && words.includes(first));
  return Promise.all((named.length > 0 ? named : commandFiles).map(({ load }) => load()));
}

/** Creates the program for one command line. @param argv only the commands of its first word are loaded */
export async function createProgram(context: CommandContext, argv: readonly string[] = []): Promise<Command> {
  const { io } = context;
  const program = new Command("hostledger")
    .description("Event-sourced billing and provisioning core for hosting providers.")
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Add "--help" to see how to use the command.')
    .addHelpText("after", "\nExit codes: 0 done, 1 refused, 2 wrong usage, 3 could not reach the server.");
  // Added last, because commands inherit the settings above.
  for (const addCommands of await loadCommands(argv[0])) addCommands(program, context);
  return program;
}
