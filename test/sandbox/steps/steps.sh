# Steps of an attempt, in the shell: each line is an operation, two paths or a path and a text. Failures are passed over.
while IFS='|' read -r does first second; do
  case $does in
    enter) cd "$first" ;;
    rename) mv -T "$first" "$second" ;;
    copy) cp -aT "$first" "$second" ;;
    read) cat "$first" > "$second" ;;
    append) mkdir -p "$(dirname "$first")"; printf '%b' "$second" >> "$first" ;;
    link) ln "$first" "$second" ;;
    connect) nc -U "$first" < /dev/null ;;
  esac
done 2> /dev/null
exit 0
