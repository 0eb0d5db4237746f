#!/bin/sh
# An example of STEWARD_DATABASE_COMMAND: does to a PostgreSQL server what SQL cannot do. docs/database.md explains it.
#
#   database-command.sh VERB INSTANCE [ARGUMENT]
#
# It reads $STEWARD_DATABASE_CONFIG/INSTANCE.env (default: /etc/steward/database), a file for the shell with
#   DATA      the data folder
#   BIN       the folder of the PostgreSQL programs
#   LOG       the log file of the server
#   HBA       the file of access rules that the server uses; outside DATA, because a copy of the data would replace it, and on
#             another disk, because this command keeps its lock and its fence beside it
#   OPTIONS   further options of the server, such as "-p 5433 -c hba_file=/etc/…"; may be empty
#   CONNINFO  how the other server reaches this one for replication
#   LABELS    labels of what runs the server, one key=value for each line; may be empty
# Beside $HBA, the file $HBA.closed has the rules that admit only Steward and replication.
#
# Run it as the user that owns DATA. Every verb can be run again at any time. By hand, set STEWARD_DATABASE_FENCE=none.
set -eu

verb=${1:?close, open, demote, engine, announce, follow, reseed, describe or log}
instance=${2:?the name of a server}
argument=${3-}
config=${STEWARD_DATABASE_CONFIG:-/etc/steward/database}

read_config() { # instance
  OPTIONS='' LABELS=''
  . "$config/$1.env"
}

known_fence() { cat "$HBA.fence" 2>/dev/null || echo 0; }

# One command for each server at a time, and none that is older than the last one. Each command of Steward has a higher number than
# the one before. A person uses `none`: such a command waits for its turn and leaves the number as it is. If the variable is missing,
# it was lost on the way from Steward, and nothing would refuse a late command.
lock() {
  exec 9>"$HBA.lock"
  flock 9
  if [ "${STEWARD_DATABASE_FENCE:?is set by Steward; by hand, set it to none}" = none ]; then return; fi
  known=$(known_fence)
  # What cannot be compared must refuse, not pass.
  case $STEWARD_DATABASE_FENCE in *[!0-9]*) echo "STEWARD_DATABASE_FENCE is a number or none" >&2 && exit 64 ;; esac
  case ${known:-x} in *[!0-9]*) echo "$HBA.fence has no number; if no command is under way, remove it" >&2 && exit 75 ;; esac
  if [ "$STEWARD_DATABASE_FENCE" -lt "$known" ]; then
    echo "a later command has been here (fence $known, this one has $STEWARD_DATABASE_FENCE);" \
      "if no other Steward uses this pair, remove $HBA.fence" >&2
    exit 75
  fi
  echo "$STEWARD_DATABASE_FENCE" >"$HBA.fence.new"
  mv "$HBA.fence.new" "$HBA.fence"
}

is_running() { "$BIN/pg_ctl" -D "$DATA" status >/dev/null 2>&1; }
# A server that was killed meanwhile has left its file with the process id, for which pg_ctl waits in vain.
stop() { if is_running; then "$BIN/pg_ctl" -D "$DATA" -w -s -m fast stop || ! is_running; fi; }
# The server must not keep the lock.
start() { is_running || "$BIN/pg_ctl" -D "$DATA" -w -s -l "$LOG" -o "$OPTIONS" start 9>&-; }
reload() { if is_running; then "$BIN/pg_ctl" -D "$DATA" -s reload; fi; }

follow_address() { # conninfo; empty for none
  touch "$DATA/postgresql.auto.conf"
  sed '/^primary_conninfo/d' "$DATA/postgresql.auto.conf" >"$DATA/postgresql.auto.conf.new"
  echo "primary_conninfo = '$1'" >>"$DATA/postgresql.auto.conf.new"
  mv "$DATA/postgresql.auto.conf.new" "$DATA/postgresql.auto.conf"
}

conninfo_of() (read_config "$1" && printf %s "$CONNINFO")

reseed() { # primary
  stop
  rm -rf "$DATA.copy"
  "$BIN/pg_basebackup" -D "$DATA.copy" -d "$(conninfo_of "$1")" -X stream -c fast --no-sync
  touch "$DATA.copy/standby.signal"
  rm -rf "$DATA.old"
  if [ -e "$DATA" ]; then mv "$DATA" "$DATA.old"; fi
  mv "$DATA.copy" "$DATA"
  follow_address "$(conninfo_of "$1")"
  start
  rm -rf "$DATA.old"
}

# Before anything is stopped.
case $verb in
follow | reseed)
  if [ "$argument" = "$instance" ] || [ ! -e "$config/${argument:-none}.env" ]; then
    echo "$verb $instance needs the name of the other server, not '$argument'" >&2
    exit 64
  fi
  ;;
esac
read_config "$instance"
case $verb in
describe)
  printf '%s\n' "$LABELS"
  if [ -e "$HBA.open" ]; then echo closed=yes; else echo closed=no; fi
  echo "fence=$(known_fence)"
  ;;
log)
  # Connections that are refused fill the log, so the reason may be far above its end.
  tail -n 1000 "$LOG" | grep 'No space left on device' | tail -n 1
  tail -n 20 "$LOG"
  ;;
close)
  lock
  [ -e "$HBA.open" ] || { cp "$HBA" "$HBA.open.new" && mv "$HBA.open.new" "$HBA.open"; }
  cp "$HBA.closed" "$HBA.new"
  mv "$HBA.new" "$HBA"
  reload
  ;;
open)
  lock
  if [ -e "$HBA.open" ]; then
    cp "$HBA.open" "$HBA.new"
    mv "$HBA.new" "$HBA"
    reload
    rm "$HBA.open"
  fi
  ;;
demote)
  lock
  # First the mark: whoever starts the server from now on starts a standby.
  touch "$DATA/standby.signal"
  stop
  follow_address ''
  start
  ;;
engine)
  lock
  stop
  # Replace the programs of the server here, for the version $argument.
  start
  ;;
announce)
  # Tell clients that do not find the primary by themselves, such as a DNS entry or a Service of Kubernetes.
  ;;
follow)
  lock
  stop
  # First the mark, as above. A reseed that was interrupted may have left no data.
  if [ -e "$DATA" ]; then touch "$DATA/standby.signal"; fi
  if [ -e "$DATA" ] && "$BIN/pg_rewind" --target-pgdata="$DATA" --source-server="$(conninfo_of "$argument") dbname=postgres" --no-sync; then
    touch "$DATA/standby.signal"
    follow_address "$(conninfo_of "$argument")"
    start
  else
    reseed "$argument"
  fi
  ;;
reseed)
  lock
  reseed "$argument"
  ;;
*)
  echo "unknown verb $verb" >&2
  exit 64
  ;;
esac
