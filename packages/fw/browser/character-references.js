export { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from "entities/decode";
