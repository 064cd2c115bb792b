import { match } from "fw:routes";
import { endpoints as i0 } from "fw:endpoints/files/api.ts";
import { endpoints as i1 } from "fw:endpoints/web/pages.ts";
import { endpoints as i2 } from "fw:endpoints/web/upload.ts";
import { $fw_main as i3 } from "./web/service.ts";
import { $fw_site as i4 } from "./web/site.ts";
import { templates as i5 } from "templates:web/public";
import { $fw_status as i6 } from "./web/site.ts";
export default {
  app: "notes",
  match,
  methods: ["GET","POST"],
  endpoints: [
    ...i0(0),
    ...i1(1),
    ...i2(1),
  ],
  packages: [
    { name: "files", service: "files" },
    { name: "web", service: "web-main", settings: { declaration: i3, domain: "notes.example.org" }, site: { declaration: i4, dir: "web/public", redirects: { ["/old"]: "/new" }, trustedHTML: false, templates: i5, notFound: "404.html" }, status: i6 },
  ],
};
