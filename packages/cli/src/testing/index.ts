export { bounceMail, type BounceMail } from "./bounce-mail.ts";
export { capturedIo, type CapturedIo } from "./captured-io.ts";
export { leafCommands, type NamedCommand } from "./command-tree.ts";
export { untilReady } from "./fake-system.ts";
export { staffLines } from "./staff-lines.ts";
