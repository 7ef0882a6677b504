# One manual page in the macros of man(7): of `siding` where $command is empty, else of that command, its subcommands included.
# $documents is the folder of the installed documents.

# A line that begins with a dot or an apostrophe would be a request.
def escape:
    gsub("\\\\"; "\\e") | gsub("-"; "\\-")
    | split("\n") | map(if test("^[.']") then "\\&" + . else . end) | join("\n");
def bold: "\\fB" + escape + "\\fR";
def italic: "\\fI" + escape + "\\fR";

# Paragraphs; one with indented lines keeps its lines.
def text:
    split("\n\n")
    | map(if test("(?m)^  ") then ".PP\n.nf\n\(escape)\n.fi" else ".PP\n" + (gsub("\n"; " ") | escape) end)
    | join("\n");

def spelled: (if .kind == "short" then "-" else "--" end) + .name | bold;
def value: "<\(.valueName)>" | italic;
def shown: (.arguments // []) | map(select(.shouldDisplay));

def usage:
    . as $argument
    | (if .kind == "positional" then value
       elif .kind == "flag" then .preferredName | spelled
       else (.preferredName | spelled) + " " + value end)
    + (if .isRepeating then "..." else "" end)
    | if $argument.isOptional then "[\(.)]" else . end;

def synopsis($name): ".PP\n" + ([$name | bold] + (shown | map(usage)) | join(" "));

def argument:
    ".TP\n"
    + (if .kind == "positional" then value
       else (.names | map(spelled) | join(", ")) + (if .kind == "option" then " " + value else "" end) end)
    + "\n" + ((.abstract // "") | escape)
    + (if .allValues then "\n.br\nOne of: \(.allValues | join(", ") | escape)." else "" end)
    + (if .defaultValue then "\n.br\nDefault: \(.defaultValue | escape)." else "" end);

def arguments: shown | map(argument) | join("\n");

def commands: (.subcommands // []) | map(select(.shouldDisplay and .commandName != "help"));

.command as $root
| (if $command == "" then $root else $root.subcommands[] | select(.commandName == $command) end) as $page
| (if $command == "" then "siding" else "siding-\($command)" end) as $name
| (if $command == "" then "siding" else "siding \($command)" end) as $spoken
| ($page | commands) as $below
| [ ".TH \($name | ascii_upcase | escape) 1 \"\($date)\" \"siding \($version)\" \"Siding\"\n.nh",
    ".SH NAME", "\($name | escape) \\- \($page.abstract | rtrimstr(".") | escape)",
    ".SH SYNOPSIS",
    (if $command == "" then ".PP\n\($spoken | bold) \("<command>" | italic) [\("<arguments>" | italic)]"
     elif $below == [] then $page | synopsis($spoken)
     else $below[] | .commandName as $own | synopsis("\($spoken) \($own)") end),
    ($page.discussion // empty | ".SH DESCRIPTION\n" + text),
    (if $below == [] then empty
     else ".SH COMMANDS",
        (if $command == "" then $below[] | ".TP\n\("siding-\(.commandName)" | bold)(1)\n\(.abstract | escape)"
         else $below[] | ".SS \($spoken) \(.commandName)\n\(.abstract | escape)\n"
            + (if .discussion then (.discussion | text) + "\n" else "" end) + arguments end)
     end),
    (if $command == "" or $below == [] then ".SH OPTIONS", ($page | arguments) else empty end),
    ".SH FILES",
    ".TP\n.I siding.yaml\nThe config, else \\fI~/.config/siding/siding.yaml\\fR, else \\fI/etc/siding/siding.yaml\\fR.",
    ".TP\n.I ~/.local/state/siding/siding.db\nThe database of a config that names none; as a service, in \\fB$STATE_DIRECTORY\\fR.",
    (if $command == "" then
        ".TP\n\("\($documents)/Docs/Config.md" | italic)\nThe guide to \("siding.yaml" | italic). Reference.md has every key; the other documents are beside it."
     else ".SH SEE ALSO", "\\fBsiding\\fR(1), which has the exit codes and the options of all commands" end)
  ]
| join("\n")
