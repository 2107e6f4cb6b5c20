export { bounceMail, type BounceMail } from "./bounce-mail.ts";
export { leafCommands } from "./command-tree.ts";
