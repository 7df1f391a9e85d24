/* SPDX-License-Identifier: BSD-3-Clause */
/* The control socket's place in the file system: server_listen(). */
#include "ctl/server.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "ctl/protocol.h"

#define GROUP    "gateau"
#define MODE     0660
#define MODE_DIR 0755
#define BACKLOG  SOMAXCONN

static int fill_address(struct sockaddr_un *a, const char *path)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(a->sun_path))
		return -ENAMETOOLONG;
	strcpy(a->sun_path, path);
	return 0;
}

/** Whether what is at @a is a socket that was left behind. Anything else is not touched. */
static bool is_left_behind(const struct sockaddr_un *a)
{
	struct stat st;
	bool left;
	int fd;

	if (lstat(a->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	left = connect(fd, (const struct sockaddr *)a, sizeof(*a)) && errno == ECONNREFUSED;
	close(fd);
	return left;
}

static int bind_to(int fd, const struct sockaddr_un *a)
{
	int ret;

	if (is_left_behind(a))
		unlink(a->sun_path);
	/* Nobody else may connect before the mode is set: listen() comes after that. */
	ret = bind(fd, (const struct sockaddr *)a, sizeof(*a));
	return ret ? -errno : 0;
}

/** Without the group the socket is the process's own, and root's. */
static int set_owner(const char *path)
{
	const struct group *g = getgrnam(GROUP);

	if (g && chown(path, -1, g->gr_gid) && geteuid() == 0)
		log_warning("control socket %s: cannot give it to the group %s (%s)", path, GROUP,
			    strerror(errno));
	return chmod(path, MODE) ? -errno : 0;
}

int server_listen(const char *path)
{
	struct sockaddr_un a;
	int fd, ret = fill_address(&a, path);

	if (ret)
		return ret;
	if (!strncmp(path, CTL_SOCKET_DIR "/", strlen(CTL_SOCKET_DIR "/")))
		mkdir(CTL_SOCKET_DIR, MODE_DIR);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	ret = bind_to(fd, &a);
	if (ret)
		goto err_close;
	ret = set_owner(path);
	if (!ret && listen(fd, BACKLOG))
		ret = -errno;
	if (ret)
		goto err_unlink;
	return fd;

err_unlink:
	unlink(path);
err_close:
	close(fd);
	return ret;
}
