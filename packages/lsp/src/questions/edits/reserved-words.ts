const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const JAVASCRIPT = words(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield',
);
const C = words(
  'auto break case char const continue default do double else enum extern float for goto if int long register return short signed sizeof static struct switch typedef union unsigned void volatile while',
);
const CPP: ReadonlySet<string> = new Set([
  ...C,
  ...words(
    'bool catch class const_cast constexpr decltype delete dynamic_cast explicit false friend inline mutable namespace new noexcept nullptr operator private protected public reinterpret_cast static_assert static_cast template this throw true try typeid typename using virtual',
  ),
]);

/** The reserved words of languages, by their identifiers in the protocol. */
export const reservedWords: Readonly<Record<string, ReadonlySet<string>>> = {
  typescript: JAVASCRIPT,
  typescriptreact: JAVASCRIPT,
  javascript: JAVASCRIPT,
  javascriptreact: JAVASCRIPT,
  python: words(
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield',
  ),
  go: words(
    'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var',
  ),
  rust: words(
    'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while',
  ),
  c: C,
  cpp: CPP,
  'objective-c': C,
  'objective-cpp': CPP,
  java: words(
    'abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for goto if implements import instanceof int interface long native new package private protected public return short static super switch synchronized this throw throws transient try void volatile while true false null',
  ),
  csharp: words(
    'abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long namespace new null object operator out override params private protected public readonly ref return sbyte sealed short sizeof static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while',
  ),
  shellscript: words('if then else elif fi case esac for while until do done in function select time'),
  lua: words(
    'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
  ),
  ruby: words(
    'BEGIN END alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield',
  ),
};
