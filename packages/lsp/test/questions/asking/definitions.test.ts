import { expect, test } from 'vitest';
import { isDefinition } from '../../../src/questions/asking/definitions.js';

test.each([
  ['Function', "FunctionDecl <a.c:2:1> col:5 f 'int (void)'", ['FunctionProto', 'Compound'], true],
  ['Function', "FunctionDecl <a.h:1:1> col:5 f 'int (void)'", ['FunctionProto'], false],
  [
    'CXXDestructor',
    "CXXDestructorDecl col:48 ~C 'void ()' virtual default noexcept",
    ['FunctionProto'],
    true,
  ],
  ['Record', 'RecordDecl col:8 struct box definition', ['Field'], true],
  ['CXXRecord', 'CXXRecordDecl col:8 struct Later definitionDefinitionData pod trivial', ['Field'], true],
  ['CXXRecord', 'CXXRecordDecl col:8 struct Later', [], false],
  ['Enum', 'EnumDecl col:20 E', ['EnumConstant'], true],
  ['Enum', "EnumDecl col:40 class F 'int'", [], false],
  ['Var', "VarDecl col:5 counter 'int' cinit", ['Builtin', 'IntegerLiteral'], true],
  ['Var', "VarDecl col:56 counter 'int' extern", ['Builtin'], false],
  ['Var', "VarDecl col:12 own 'int' static", ['Builtin'], true],
  ['Typedef', "TypedefDecl col:13 small_t 'int'", ['Builtin'], true],
] as const)('isDefinition() of %s %j', (kind, arcana, children, expected) => {
  const node = { kind, arcana, children: children.map((child) => ({ kind: child })) };
  expect(isDefinition(node, false)).toBe(expected);
});

test('isDefinition() takes static members of a class for declarations', () => {
  const member = { kind: 'Var', arcana: "VarDecl col:22 n 'int' static" };
  expect(isDefinition(member, true)).toBe(false);
  expect(isDefinition({ ...member, arcana: `${member.arcana} inline` }, true)).toBe(true);
});
