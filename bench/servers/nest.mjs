import "reflect-metadata";
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Module,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Req,
  UseGuards,
  UnauthorizedException,
  ValidationPipe,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { Type } from "class-transformer";
import { IsArray, IsBoolean, IsInt, IsNumber, IsString, ValidateNested } from "class-validator";
import { me, page, placed, routes, rows, user } from "./data.mjs";
import { report } from "./report.mjs";
import { openSessions } from "./sessions.mjs";

class Customer {}
class Item {}
class Order {}
const field = (type, name, ...decorators) => {
  for (const decorate of decorators) decorate(type.prototype, name);
};
field(Customer, "id", IsInt());
for (const name of ["name", "email"]) field(Customer, name, IsString());
for (const name of ["sku", "title"]) field(Item, name, IsString());
field(Item, "quantity", IsInt());
field(Item, "price", IsNumber());
field(
  Order,
  "customer",
  ValidateNested(),
  Type(() => Customer),
);
for (const name of ["currency", "note"]) field(Order, name, IsString());
field(Order, "express", IsBoolean());
field(
  Order,
  "items",
  IsArray(),
  ValidateNested({ each: true }),
  Type(() => Item),
);

const whose = openSessions();
class SignInGuard {
  canActivate(context) {
    const req = context.switchToHttp().getRequest();
    req.identity = whose(req.headers.cookie);
    if (req.identity === undefined) throw new UnauthorizedException("sign in");
    return true;
  }
}

class AppController {
  hello() {
    return { hello: "world" };
  }
  user(id, page_, sort, tag) {
    return user(id, Number(page_ ?? 1), sort ?? "name", tag === undefined ? [] : Array.isArray(tag) ? tag : [tag]);
  }
  order(body) {
    return placed(body);
  }
  me(req) {
    return me(req.identity);
  }
  page() {
    return page("Rows", rows);
  }
}
routes.forEach((_, i) => {
  AppController.prototype[`route${i}`] = (id) => ({ route: i, id });
});

const method = (name, types, decorators, params = []) => {
  Reflect.defineMetadata("design:paramtypes", types, AppController.prototype, name);
  params.forEach((decorate, i) => decorate(AppController.prototype, name, i));
  const descriptor = Object.getOwnPropertyDescriptor(AppController.prototype, name);
  for (const decorate of decorators) decorate(AppController.prototype, name, descriptor);
};
method("hello", [], [Get("/hello")]);
method(
  "user",
  [Number, String, String, Object],
  [Get("/users/:id")],
  [Param("id", ParseIntPipe), Query("page"), Query("sort"), Query("tag")],
);
method("order", [Order], [Post("/orders"), HttpCode(200)], [Body()]);
method("me", [Object], [Get("/me"), UseGuards(SignInGuard)], [Req()]);
method("page", [], [Get("/page"), Header("Content-Type", "text/html; charset=utf-8")]);
routes.forEach((route, i) => method(`route${i}`, [String], [Get(`${route}/:id`)], [Param("id")]));
Controller()(AppController);

class AppModule {}
Module({ controllers: [AppController] })(AppModule);

const app = await NestFactory.create(AppModule, { logger: false });
app.useGlobalPipes(new ValidationPipe({ transform: true }));
app.getHttpAdapter().getInstance().disable("x-powered-by").set("etag", false);
await app.listen(0, "127.0.0.1");
report(app.getHttpServer().address().port);
