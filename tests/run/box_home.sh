#!/bin/bash
# The caller's PATH in boxes of the work profile: environments and directories of programs in the home and elsewhere are there, read-only; a program
# that the box does not show is not replaced by another in silence; hostile entries show nothing. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"

SYSTEM=/usr/local/bin:/usr/bin:/bin
for who in $(people); do
	home=$tmp/$who/home fakes=0
	as "$who" mkdir -p "$home/p" "$home/.ssh" "$home/bin" "$home/tools/x/bin"
	as "$who" git -C "$home/p" init -q
	as "$who" bash -c 'cd; echo top-secret >.ssh/id_rsa; chmod 600 .ssh/id_rsa'
	# program FILE WORD: an executable file that says WORD
	program() { as "$who" bash -c 'mkdir -p "$(dirname "$1")"; printf "#!/bin/sh\necho %s\n" "$2" >"$1"; chmod 755 "$1"' - "$1" "$2"; }
	work() { # PATH TEXT [NAME=VALUE...]
		local path=$1 text=$2
		shift 2
		(cd "$home/p" && as "$who" env PATH="$path" "$@" "$tmp/caisson" run --profile work -c "$text") >"$tmp/out" 2>"$tmp/err" </dev/null
	}

	# environments of Python, where tools keep them
	path='' text='' all=''
	for env in venvs/p .virtualenvs/p .cache/pypoetry/virtualenvs/p-Zx1 .local/share/pipx/venvs/p; do
		if [[ $env == venvs/p ]]; then as "$who" python3 -m venv --without-pip "$home/$env"; else
			as "$who" bash -c 'mkdir -p "$2"; cp -a "$1/." "$2"' - "$home/venvs/p" "$home/$env"
		fi
		program "$home/$env/bin/of-${env//\//-}" "of-$env"
		path+=$home/$env/bin:
		text+="of-${env//\//-}; $home/$env/bin/python -c 'import sys; print(sys.prefix)'; touch $home/$env/lib/x; "
		all+="of-$env\\n$home/$env\\n"
	done
	program "$home/venvs/p/bin/pytest" of-venv
	work "$path$SYSTEM" "$text pytest; echo \$VIRTUAL_ENV" VIRTUAL_ENV="$home/venvs/p"
	want ".stdout == \"${all}of-venv\\n$home/venvs/p\\n\"" "$who: programs and Pythons of environments in four places run"
	[[ ! -e $home/venvs/p/lib/x && ! -e $home/.cache/pypoetry/virtualenvs/p-Zx1/lib/x ]]
	result $? "$who: they are read-only"
	# shellcheck disable=SC2088 # the shell of the box expands it
	work "$SYSTEM" '~/.cache/pypoetry/virtualenvs/p-Zx1/bin/python -c "import sys; print(sys.prefix)" && touch ~/.cache/pypoetry/virtualenvs/p-Zx1/lib/x'
	want ".stdout == \"$home/.cache/pypoetry/virtualenvs/p-Zx1\\n\"" "$who: poetry finds its environments without the PATH"
	[[ ! -e $home/.cache/pypoetry/virtualenvs/p-Zx1/lib/x ]]
	result $? "$who: changes to one stay in the project's layer"
	work "$SYSTEM" 'ls "$VIRTUAL_ENV"/bin/python' VIRTUAL_ENV="$home/venvs/p"
	want '.exit_code == 0' "$who: VIRTUAL_ENV alone shows an environment"
	work "$SYSTEM" 'echo "${VIRTUAL_ENV-none}"' VIRTUAL_ENV="$home/nowhere"
	want '.stdout == "none\n"' "$who: one that does not exist is not passed on"

	# a Python of the person's own, from which an environment was made
	as "$who" bash -c 'cd; mkdir -p py/bin py/lib/python3.99 own/bin own/lib; echo "# os" >py/lib/python3.99/os.py; cp /bin/echo py/bin/python3.99
		ln -s ../../py/bin/python3.99 own/bin/python; printf "home = %s\nversion = 3.99\n" "$HOME/py/bin" >own/pyvenv.cfg; echo private >py/notes'
	work "$home/own/bin:$SYSTEM" "python interpreter; cat ~/py/lib/python3.99/os.py; cat ~/py/notes"
	want '.stdout == "interpreter\n# os\n"' "$who: an environment has its interpreter, and no more of that place"

	as "$who" bash -c 'cd ~/p; mkdir -p .venv/bin .venv/lib; ln -s ~/py/bin/python3.99 .venv/bin/python; printf "home = %s\n" "$HOME/py/bin" >.venv/pyvenv.cfg'
	work "$SYSTEM" '.venv/bin/python interpreter; cat ~/py/notes'
	want '.stdout == "interpreter\n"' "$who: an environment in the project has its interpreter, also if it is not on the PATH"
	as "$who" bash -c 'cd ~/p; mkdir -p tools; ln -s ~/py/bin/python3.99 tools/python3; ln -s ~/docs/run tools/ls; ln -s ../sub/x tools/own; mkdir -p ~/docs; printf "#!/bin/sh\n" >~/docs/run; chmod 755 ~/docs/run'
	work "$home/p/tools:$SYSTEM" 'python3 interpreter; ls /; cat ~/docs/run'
	want '.stdout == "interpreter\n" and (.stderr | contains("not run: ls is '"$home"'/p/tools/ls outside"))' "$who: a link of the project to a program elsewhere is not followed, and not replaced"

	# conda, node, programs of the person's own with links elsewhere
	program "$home/conda/envs/e/bin/tool" of-conda
	as "$who" mkdir -p "$home/conda/envs/e/conda-meta" "$home/conda/envs/e/lib"
	as "$who" bash -c 'cd; echo token >conda/envs/e/.condarc; echo lib >conda/envs/e/lib/data'
	work "$home/conda/envs/e/bin:$SYSTEM" 'tool; cat "$CONDA_PREFIX/lib/data" "$CONDA_PREFIX/.condarc"' CONDA_PREFIX="$home/conda/envs/e"
	want '.stdout == "of-conda\nlib\n"' "$who: a conda environment, without its settings"
	as "$who" bash -c 'cd; mkdir -p node/bin node/lib/node_modules/tsc/bin; cd node
		printf "#!/bin/sh\ncat \"\$(dirname \"\$(realpath \"\$0\")\")/../word\"\n" >lib/node_modules/tsc/bin/tsc; echo of-node >lib/node_modules/tsc/word
		chmod 755 lib/node_modules/tsc/bin/tsc; ln -s ../lib/node_modules/tsc/bin/tsc bin/tsc; ln -s ~/node/bin/tsc ~/bin/by-chain; ln -s ~/node/lib/node_modules/tsc/bin/tsc ~/bin/by-link'
	work "$home/node/bin:$SYSTEM" tsc
	want '.stdout == "of-node\n"' "$who: a link leads to its package"
	program "$home/tools/x/bin/x" of-x
	as "$who" ln -s ../tools/x/bin/x "$home/bin/x"
	program "$home/bin/pytest" of-bin
	work "$home/bin:$SYSTEM" 'pytest; x; by-link; by-chain; ls ~/tools/x'
	want '.stdout == "of-bin\nof-x\nof-node\nof-node\nbin\n"' "$who: ~/bin and the programs that its links lead to"
	as "$who" ln -s /etc/alternatives/awk "$home/bin/my-awk"
	work "$home/bin:$SYSTEM" 'my-awk "BEGIN { print 7 }"'
	want '.stdout == "7\n"' "$who: a link through the alternatives of the system"
	program "$home/p/tool/pytest" of-project
	work "tool:$SYSTEM" pytest
	want '.stdout == "of-project\n"' "$who: a relative entry of the project"
	as "$who" ln -sfn "$home/bin" "$home/by-name"
	work "$home/by-name:$SYSTEM" pytest
	want '.stdout == "of-bin\n"' "$who: an entry that is a link of the person"

	# never another program in silence
	if [[ $who == root ]] && unshare -m true 2>/dev/null; then # links of the administrator into a home
		mkdir -p "$tmp/local"
		cp -a /usr/local/bin/. "$tmp/local/"
		program "$home/opt/tool" of-opt
		ln -sf "$home/opt/tool" "$tmp/local/tool"
		ln -sf "$home/.ssh/run" "$tmp/local/ls"
		program "$home/.ssh/run" of-ssh
		(cd "$home/p" && as root unshare -m sh -c 'mount --bind "$1/local" /usr/local/bin && exec "$1/caisson" run --profile work -c "tool; ls /"' - "$tmp") >"$tmp/out" 2>"$tmp/err" </dev/null
		want '.stdout == "of-opt\n" and (.stderr | contains("not run: ls is /usr/local/bin/ls outside"))' "$who: links in /usr/local/bin lead to their programs, or nowhere"
		rm "$home/.ssh/run"
	fi
	program "$home/shared/bin/ls" of-shared
	program "$home/shared/bin/only-there" of-shared
	as "$who" chmod 777 "$home/shared/bin"
	work "$home/shared/bin:$SYSTEM" 'ls /'
	want '.exit_code == 127 and .stdout == "" and (.stderr | contains("not run: ls is '"$home"'/shared/bin/ls outside of the box"))' "$who: a hidden program fails instead of another"
	want '[.hints[] | select(.id == "path")][0].message | contains("other users can change it")' "$who: and a hint says why"
	work "$home/shared/bin:$SYSTEM" 'sh -c "ls /"; echo done'
	want '.stdout == "done\n"' "$who: wherever it is called from"
	work "$SYSTEM:$home/shared/bin" 'ls / >/dev/null'
	want '.exit_code == 0' "$who: one that is found first is not concerned"
	work "$home/shared/bin:$SYSTEM" only-there
	want '.exit_code == 127 and ([.hints[] | select(.id == "path")] | length == 1)' "$who: one without another is not found, with the hint"
	work "$home/shared/bin:$SYSTEM" 'exit 3'
	want '.exit_code == 3 and ([.hints[] | select(.id == "path")] | length == 0)' "$who: other failures have no such hint"
	program "$home/hidden-tool/.ssh/ls" of-hidden
	as "$who" ln -s "$home/.ssh/run" "$home/bin/cat"
	program "$home/.ssh/run" of-ssh
	work "$home/bin:$SYSTEM" 'cat /etc/hostname'
	want '.exit_code == 127 and (.stderr | contains("not run: cat"))' "$who: a link to a program that the box does not show is not replaced either"
	as "$who" ln -s cat "$home/bin/sort"
	work "$home/bin:$SYSTEM" 'sort /etc/hostname'
	want '.exit_code == 127 and (.stderr | contains("not run: sort"))' "$who: nor is a link to such a link beside it"
	program "$home/bin/near" of-near
	as "$who" ln -s near "$home/bin/uniq"
	work "$home/bin:$SYSTEM" 'uniq </dev/null'
	want '.stdout == "of-near\n"' "$who: twin: a link to a program beside it"
	as "$who" rm "$home/bin/cat" "$home/.ssh/run" "$home/bin/sort" "$home/bin/near" "$home/bin/uniq"

	# hostile entries
	reveals() { # PATH WHAT [NAME=VALUE...]
		local path=$1 what=$2
		shift 2
		work "$path:$SYSTEM" 'ls -A ~/.ssh ~/docs ~/.config/caisson '"$tmp/$who/state"' 2>/dev/null; cat ~/.ssh/id_rsa ~/docs/* ~/evil/bin/* ~/.aws/* 2>/dev/null; true' "$@"
		want '.exit_code == 0 and (.stdout | contains("secret") or contains("id_rsa") or contains("roots") | not)' "$who: shows nothing: $what"
	}
	as "$who" bash -c 'cd; mkdir -p docs evil/bin .aws; echo doc-secret >docs/plan; echo doc-secret >docs/plan2; printf "#!/bin/sh\n" >docs/run; chmod 755 docs/run
		echo aws-secret >.aws/credentials; chmod 755 .aws/credentials; ln -s ~/.ssh/id_rsa evil/bin/key; ln -s ~/.aws/credentials evil/bin/aws; ln -s ~/docs/plan evil/bin/doc
		printf "#!/bin/sh\n" >evil/bin/tool; chmod 755 evil/bin/tool; ln -s ~/.ssh evil/dir'
	reveals "$home/.ssh:$home/docs" 'directories of keys, and of documents with one script'
	program "$home/.claude/local/bin/tool" x
	as "$who" bash -c 'echo doc-secret >~/.claude/local/bin/notes'
	work "$home/.claude/local/bin:$SYSTEM" 'cat ~/.claude/local/bin/notes'
	want '.exit_code != 0 and .stdout == ""' "$who: shows nothing: a directory of an agent"
	reveals "$home:/:$tmp/$who:$tmp/$who/state" "the home and above, caisson's own files"
	reveals "$home/evil/bin:$home/evil/dir" 'links to keys, also executable ones'
	reveals "..:.:$home/.ssh/.:$home/evil/../.ssh:::$(printf 'a\nb'):$home/.ssh
" 'relative and empty entries, dots and new lines'
	path=
	for to in "$home/.ssh" "$home/docs" "$home" /etc / "$home/docs/../.ssh" ../.ssh; do
		as "$who" bash -c 'cd; mkdir -p "$1"/{bin,lib}; printf "#!/bin/sh\n" >"$1/bin/tool"; chmod 755 "$1/bin/tool"; printf "home = %s\n" "$2" >"$1/pyvenv.cfg"' - "fake$((++fakes))" "$to"
		path+=$home/fake$fakes/bin:
	done
	reveals "$path" 'environments whose interpreter is said to be elsewhere'
	as "$who" bash -c 'cd; cp -a fake1 fake'
	as "$who" bash -c 'cd; rm -r fake/lib; ln -s ~/docs fake/lib; rm fake/pyvenv.cfg; ln -s ~/docs/plan fake/pyvenv.cfg'
	reveals "$home/fake/bin" 'an environment made of links'
	reveals "$SYSTEM" 'variables that name directories of secrets' VIRTUAL_ENV="$home/.ssh" CONDA_PREFIX="$home" JAVA_HOME=/
	as "$who" bash -c 'cd ~/p; ln -sfn ~/docs way; ln -sfn ~/.ssh keys'
	reveals "$home/p/way:$home/p/keys" 'links of the project'
	as "$who" bash -c 'cd; git init -q other; mkdir -p other/bin secret-project; printf "#!/bin/sh\n# doc-secret\n" >secret-project/run; chmod 755 secret-project/run
		ln -s ~/secret-project/run other/bin/run; cp /bin/true other/bin/ok; mkdir odd; mkdir -p odd/"a
b"; cp /bin/true odd/"a
b"/ls'
	work "$home/other/bin:$SYSTEM" 'cat ~/other/bin/run ~/secret-project/run; ok'
	want '.exit_code == 0 and (.stdout | contains("doc-secret") | not)' "$who: shows nothing: a link that another project made"
	work "$home/odd/a
b:$SYSTEM" 'ls /'
	want '.exit_code == 127 and .stdout == ""' "$who: a directory with a new line in its name is not shown, and its programs are not replaced"
	program "$home/shared/bin/bash" of-shared
	work "$home/shared/bin:$SYSTEM" 'echo fine; bash -c "echo inner"'
	want '.stdout == "fine\n"' "$who: the shell of the command itself is not looked up on the PATH"
	as "$who" bash -c 'cd; mkdir -p many/bin; cd many/bin; for i in {1..300}; do ln -s ~/.ssh/id_rsa "k$i"; done; ln -s loop loop'
	reveals "$home/many/bin" 'hundreds of links to a key'
	as "$who" bash -c 'cd; mkdir racy; cp -a bin racy/bin; cp -a bin racy/dir; ln -s ~/docs racy/link; while [[ ! -e racy/end ]]; do
		mv -T racy/bin racy/b; mv -T racy/link racy/bin; mv -T racy/bin racy/link; mv -T racy/b racy/bin; done' &
	for _ in {1..8}; do
		work "$home/racy/bin:$SYSTEM" 'cat ~/racy/bin/plan ~/docs/plan'
		cat "$tmp/out"
	done >"$tmp/races" 2>&1
	as "$who" touch "$home/racy/end"
	wait
	! grep -q doc-secret "$tmp/races"
	result $? "$who: shows nothing: an entry that becomes a link meanwhile"
	if [[ $who == user && $(id -u) == 0 ]]; then
		mkdir -p "$tmp/other/bin"
		cp /bin/true "$tmp/other/bin/ls"
		chown -R 61299 "$tmp/other"
		work "$tmp/other/bin:$SYSTEM" 'ls /'
		want '.exit_code == 127' "$who: another user's programs are not shown"
	fi
	as "$who" bash -c 'echo echo named >~/docs/hidden; echo echo named >~/docs/git'
	for name in hidden git; do
		(cd "$home/p" && as "$who" env PATH="$home/shared/bin:$SYSTEM" "$tmp/caisson" run --profile work --lang bash --file "$home/docs/$name") >"$tmp/out" 2>"$tmp/err" </dev/null
		want '.stdout == "named\n"' "$who: a script whose name the box uses itself: $name"
	done
	box "$who" -c 'echo $PATH; ls ~/bin'
	want '.stdout | startswith("/usr/local/sbin:/usr/local/bin:/usr/sbin")' "$who: untrusted code has the system's PATH"
done
done_testing
