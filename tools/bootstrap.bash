# Makes or renews the checkout's .venv. Sourced by ./gdl, which sets root, venv, stamp and
# fingerprint; not on the way of a call that finds everything ready.
#
# shellcheck disable=SC2154 # those variables
#
# The stamp is removed before the first change and written after the last, so an environment without
# one is rubble of an interrupted setup and is made again.
#
# Two cores are kept busy: one pip installs ROS 2 and what the engine needs, another one everything
# else. Once the first has finished, the messages and the engine's kernels are compiled beside it.
# Both take the pins of constraints.txt as they are. That is far quicker than resolving 280 packages,
# and the two never install the same package. Only what the pins leave open is resolved.

steps=6
declare -A jobs_of_setup=()

say() { printf 'gdl: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

bootstrap() {
  # Held to the end, so that of several first calls one sets up and the others wait.
  exec 9>"$root/.venv.lock"
  if command -v flock >/dev/null && ! flock --nonblock 9; then
    say 'waiting for another ./gdl that is setting up'
    flock 9
  fi
  if ! is_ready; then
    set_up
  fi
  exec 9>&-
}

set_up() {
  [[ $root != *:* ]] || die "the path of this checkout must not contain a colon: $root"
  python=${GDL_PYTHON:-python3}
  extras=dev,docs,rl,learn,export,data,gui,editor,robot,cluster
  ros=
  constraints=$root/constraints.txt

  local source=
  [[ -z ${ROS_DISTRO-} ]] || source=$(sourced_ros)
  # What is finished, in its place and with ROS from the same source can be brought up to date.
  if [[ -f $stamp && -x $venv/bin/python && $(<"$venv/gdl-place") == "$root" &&
    $(cat "$venv/gdl-ros" 2>/dev/null) == "$source" ]]; then
    say 'the install changed; renewing .venv'
    rm -f -- "$stamp"
  else
    say 'setting up .venv (once, some minutes)'
    rm -rf -- "$venv"
  fi

  ensure_system_packages
  # Now with the tools that were just installed.
  fingerprint=$(describe_install | sha256sum)
  check_python
  local begin=$SECONDS
  logs=$venv/gdl-setup
  mkdir -p -- "$logs"
  # Whatever ends this script ends what it has started.
  trap stop_jobs EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  choose_extras
  step 1 'Python environment' make_environment
  start rest install_pins rest
  step 2 'packages of the engine and of ROS 2' install_engine
  start messages install_messages
  start kernels compile_kernels
  finish 3 'packages for learning, web interface and tests' rest
  finish 4 'ROS 2 messages' messages
  finish 5 'compiled engine' kernels
  # shellcheck disable=SC2086 # one word an extra
  step 6 'check of all packages' complete $ros ${extras//,/ }

  [[ -z $source ]] || printf '%s' "$source" >"$venv/gdl-ros"
  printf '%s' "$root" >"$venv/gdl-place"
  printf '%s' "$fingerprint" >"$stamp.new"
  mv -- "$stamp.new" "$stamp"
  trap - EXIT INT TERM
  rm -rf -- "$logs"
  say "ready after $((SECONDS - begin)) s"
}

# --- progress -----------------------------------------------------------------------------------

# Starts a job of set_up in the background; `finish` waits for it.
start() {
  local name=$1
  shift
  # Job control gives it a process group of its own, by which all of it can be ended.
  set -m
  "$@" </dev/null >"$logs/$name" 2>&1 &
  set +m
  jobs_of_setup[$name]=$!
}

stop_jobs() {
  local pid
  # Also the one that has just been started, and is not in the table yet.
  for pid in "${jobs_of_setup[@]}" $(jobs -p); do
    kill -- "-$pid" 2>/dev/null || true
  done
}

# Waits for a job and shows how long it has taken: number, title and name of the job. A terminal has
# one line that is renewed, a log one line in all.
finish() {
  local pid line="[$1/$steps] $2" from=$SECONDS
  pid=${jobs_of_setup[$3]}
  if [[ -t 2 ]]; then
    while kill -0 "$pid" 2>/dev/null; do
      printf '\r\033[Kgdl: %s: %d s, %s' "$line" $((SECONDS - from)) "$(count_packages)" >&2
      sleep 0.5
    done
  else
    say "$line"
  fi
  if ! wait "$pid"; then
    [[ ! -t 2 ]] || printf '\n' >&2
    printf '%s\n' "$(<"$logs/$3")" >&2
    die "$2: failed; the next call tries again"
  fi
  unset "jobs_of_setup[$3]"
  [[ ! -t 2 ]] || printf '\r\033[Kgdl: %s: %d s\n' "$line" $((SECONDS - from)) >&2
  # What a job had to say.
  [[ ! -s $logs/$3 ]] || printf '%s\n' "$(<"$logs/$3")" >&2
}

step() {
  local number=$1 title=$2
  shift 2
  start "step$number" "$@"
  finish "$number" "$title" "step$number"
}

count_packages() {
  local found
  mapfile -t found < <(compgen -G "$venv/lib/python3*/site-packages/*.dist-info")
  printf '%d packages so far' "${#found[@]}"
}

# --- system packages ----------------------------------------------------------------------------

# Prints the Debian packages for what is missing.
missing_packages() {
  if ! command -v "$python" >/dev/null; then
    [[ $python != python3 ]] || echo python3 python3-venv python3-dev
  else
    "$python" -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    [[ -f $("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h ]] ||
      echo python3-dev
  fi
  command -v cmake >/dev/null || echo cmake
  command -v c++ >/dev/null || echo g++
  # A C++ compiler alone does not bring make.
  command -v make >/dev/null || echo make
  command -v swipl >/dev/null || echo swi-prolog-nox
}

# Prints the Debian packages for what only tests need: a browser, a chess engine to play against, and
# pictures of the simulated table.
missing_test_packages() {
  command -v chromium >/dev/null || echo chromium
  command -v chromedriver >/dev/null || echo chromium-driver
  [[ -x /usr/games/stockfish ]] || command -v stockfish >/dev/null || echo stockfish
  [[ -n $(compgen -G '/usr/lib*/*/libOSMesa.so*') ]] || echo libosmesa6
}

# Tests whose programs are missing are skipped, and say so.
ensure_test_packages() {
  local missing
  missing=$(missing_test_packages | xargs)
  [[ -z $missing ]] || install_packages "$missing" || say "tests that need these are skipped: $missing"
}

# Installs Debian packages, where that is allowed.
install_packages() {
  local apt=(apt-get)
  if ((EUID != 0)); then
    apt=(sudo -n apt-get)
  fi
  if command -v apt-get >/dev/null && { ((EUID == 0)) || sudo -n true 2>/dev/null; }; then
    say "installing system packages: $1"
    # shellcheck disable=SC2086 # one word a package
    { "${apt[@]}" -qq update && DEBIAN_FRONTEND=noninteractive \
      "${apt[@]}" -qq -y install --no-install-recommends $1; } >/dev/null && return 0
    say 'apt-get failed'
  fi
  return 1
}

ensure_system_packages() {
  local missing
  missing=$(missing_packages | xargs)
  [[ -n $missing ]] || return 0
  install_packages "$missing" || true
  hash -r
  missing=$(missing_packages | xargs)
  [[ -n $missing ]] || return 0
  say "missing system packages, please install them: sudo apt-get install $missing"
  case " $missing " in
    *' python3 '* | *' python3-venv '*) die 'Python and its venv module are required' ;;
  esac
  case " $missing " in
    *' swi-prolog-nox '*) say 'without SWI-Prolog the Prolog engine is disabled; all else works' ;;
  esac
}

can_build_messages() {
  local missing
  missing=" $(missing_packages | xargs) "
  # Not by grep --quiet: it stops reading early, which pipefail takes for a failure.
  [[ ! $missing =~ \ (cmake|g\+\+|make|python3-dev)\  ]]
}

# Prints the folder of the ROS 2 that is sourced.
sourced_ros() {
  local prefix prefixes
  IFS=: read -ra prefixes <<<"${AMENT_PREFIX_PATH-}"
  for prefix in "${prefixes[@]}"; do
    if [[ -d $prefix/share/rclpy ]]; then
      printf '%s' "$prefix"
      return
    fi
  done
  die "ROS_DISTRO is $ROS_DISTRO, but rclpy is in no folder of AMENT_PREFIX_PATH"
}

# --- Python -------------------------------------------------------------------------------------

check_python() {
  command -v "$python" >/dev/null || die "GDL_PYTHON names no program: $python"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    die "$("$python" --version) is too old; Python 3.10 or newer is needed (set GDL_PYTHON)"
}

# Decides which extras to install, and by which constraints.
choose_extras() {
  if [[ -n ${ROS_DISTRO-} ]]; then
    # A sourced ROS wins over ROS from PyPI. Its messages are compiled for the system's numpy.
    "$python" -c 'import rclpy' 2>/dev/null ||
      die "ROS 2 $ROS_DISTRO is sourced, but $python cannot import its rclpy (set GDL_PYTHON)"
    constraints=$venv/gdl-constraints.txt
  elif [[ $(uname -sm) == 'Linux x86_64' ]]; then
    ros=ros
  else
    say "no ROS 2 sourced, and none on PyPI for $(uname -sm): setting up without the ROS nodes"
  fi
}

make_environment() {
  local options=()
  [[ -z ${ROS_DISTRO-} ]] || options+=(--system-site-packages)
  [[ -x $venv/bin/python ]] || "$python" -m venv "${options[@]}" "$venv"
  [[ -z ${ROS_DISTRO-} ]] || grep -v '^numpy' "$root/constraints.txt" >"$constraints"
}

# In a subshell, to leave the variables of the command that will run as they were.
pip() (
  # What another environment, or a sourced ROS, put there is not for pip to see.
  unset PYTHONPATH LD_LIBRARY_PATH _ROS_WHEELS_BOOTSTRAP_COMPLETE
  "$venv/bin/python" -m pip -qq --disable-pip-version-check --no-input "$@" ||
    die 'pip could not install what is needed'
)

# Installs parts of constraints.txt: engine, ros, rest. Python compiles a module when it is first
# imported; pip would compile all 20,000 of them.
install_pins() {
  local file=$logs/pins-$1 line part='' wanted=" $* "
  while IFS= read -r line; do
    case $line in
      '# == '*) part=${line#'# == '} part=${part%%:*} ;;
      # ROS from PyPI asks for lark-parser, an old lark in the same folder, with type stubs that hide
      # lark's own types. ROS runs with the new one.
      '' | '#'* | lark-parser==*) ;;
      *) [[ $wanted != *" $part "* ]] || printf '%s\n' "$line" ;;
    esac
  done <"$constraints" >"$file"
  pip install --no-deps --no-compile --requirement "$file"
}

install_engine() {
  # shellcheck disable=SC2086 # one word, or none
  install_pins engine $ros
  pip install --no-deps --no-build-isolation --no-compile --editable "$root"
  # shellcheck disable=SC2086
  complete $ros
}

# Installs what the project requires with some extras, and no pin brought: on another Python, or
# where a package has other requirements than on the machine that the pins are from.
complete() {
  local missing
  missing=$(PYTHONPATH=$root/tools "$venv/bin/python" -m gdl_build.missing "$@") ||
    die 'the installed packages could not be read'
  [[ -z $missing ]] || pip install --constraint "$constraints" --no-compile \
    --requirement /dev/stdin <<<"$missing"
}

install_messages() {
  [[ -n ${ROS_DISTRO-} || -n $ros ]] || return 0
  if ! can_build_messages; then
    say 'without a C++ compiler, CMake and Python headers the ROS nodes are disabled; all else works'
    return 0
  fi
  PYTHONPATH=$root/tools${PYTHONPATH:+:$PYTHONPATH} \
    "$venv/bin/python" -m gdl_build --prefix "$venv" || die 'the messages could not be built'
}

# Only to be quicker later: kernels are compiled on first use, too.
compile_kernels() { "$venv/bin/python" -m gdl_env.warm >/dev/null 2>&1 || true; }
