export { bounceMail, type BounceMail } from "./bounce-mail.ts";
