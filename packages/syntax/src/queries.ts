import type { Grammar } from './languages.js';

/** JavaScript, and what TypeScript has in common with it. */
const SCRIPT = `
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
`;
/** What only TypeScript has. */
const TYPED = `
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @enum
(abstract_class_declaration name: (_) @name) @class
(internal_module name: (_) @name) @namespace
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(property_signature name: (_) @name) @property
(public_field_definition name: (_) @name) @property
`;
/**
 * What declares something, by grammar. A match captures the declaration under the name of its kind, its own name as
 * `name`, and the name of what it is in as `container` where that stands in its own head.
 */
export const QUERIES: Readonly<Record<Grammar, string>> = {
  javascript: SCRIPT + '(field_definition property: (_) @name) @property',
  typescript: SCRIPT + TYPED,
  tsx: SCRIPT + TYPED,
  python: `
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(module (expression_statement (assignment left: (identifier) @name) @variable))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @property)))
`,
  go: `
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) @container (pointer_type (type_identifier) @container) (generic_type type: (type_identifier) @container) (pointer_type (generic_type type: (type_identifier) @container))])) name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name type: [(type_identifier) (qualified_type) (map_type) (slice_type) (array_type) (function_type) (pointer_type) (channel_type) (generic_type)]) @class
(type_alias name: (type_identifier) @name) @class
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(field_declaration name: (field_identifier) @name) @field
(method_elem name: (field_identifier) @name) @method
`,
  rust: `
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(union_item name: (type_identifier) @name) @struct
(trait_item name: (type_identifier) @name) @interface
(mod_item name: (identifier) @name) @module
(type_item name: (type_identifier) @name) @class
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(macro_definition name: (identifier) @name) @function
(enum_variant name: (identifier) @name) @member
(field_declaration name: (field_identifier) @name) @field
(impl_item type: (type_identifier) @name) @object
(impl_item type: (generic_type type: (type_identifier) @name)) @object
`,
  java: `
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @interface
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(enum_constant name: (identifier) @name) @member
`,
  cpp: `
(function_definition declarator: (function_declarator declarator: [(identifier) @name (field_identifier) @name (destructor_name) @name (operator_name) @name])) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) @name (field_identifier) @name]))) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: [(identifier) @name (field_identifier) @name]))) @function
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) @name (destructor_name) @name]))) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @container name: [(identifier) @name (destructor_name) @name])))) @method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: (identifier) @name)))) @method
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(class_specifier name: (type_identifier) @name body: (_)) @class
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @member
(namespace_definition name: (namespace_identifier) @name) @namespace
(type_definition declarator: (type_identifier) @name) @class
(alias_declaration name: (type_identifier) @name) @class
(preproc_def name: (identifier) @name) @constant
(preproc_function_def name: (identifier) @name) @function
(field_declaration declarator: (field_identifier) @name) @field
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @field
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @method
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @variable)
(translation_unit (declaration declarator: (identifier) @name) @variable)
(translation_unit (declaration declarator: (function_declarator declarator: (identifier) @name)) @function)
(translation_unit (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function)
`,
  'c-sharp': `
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(struct_declaration name: (identifier) @name) @struct
(record_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @member
(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @constructor
(property_declaration name: (identifier) @name) @property
(delegate_declaration name: (identifier) @name) @class
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(local_function_statement name: (identifier) @name) @function
`,
  ruby: `
(class name: (_) @name) @class
(module name: (_) @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
`,
  php: `
(function_definition name: (name) @name) @function
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @member
(method_declaration name: (name) @name) @method
(property_declaration (property_element name: (variable_name (name) @name))) @property
(const_declaration (const_element (name) @name)) @constant
(namespace_definition name: (namespace_name) @name) @namespace
`,
  bash: `
(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)
`,
};
